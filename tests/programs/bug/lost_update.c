// Two threads add one without a lock.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// TIMES: 20
// EXECUTIONS: 69
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/lost_update.c"
