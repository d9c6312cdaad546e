// A critical section split in two (SplitSync, from the ExitBlock paper).
// RADDLE: -s dfs --keep-going
// EXPECT: assertion
// EXECUTIONS: 463
// EXECUTIONS-PLAIN: 178
// MODE: plain hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/splitsync.c"
