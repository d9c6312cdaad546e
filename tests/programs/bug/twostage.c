// Two data items with a lock each; the reader can see the first without the second (SCTBench, twostage).
// RADDLE: -s dfs --keep-going
// EXPECT: assertion
// EXECUTIONS: 2024
// EXECUTIONS-PLAIN: 361
// MODE: plain hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/twostage.c"
