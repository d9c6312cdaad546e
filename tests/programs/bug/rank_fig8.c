// RankChecker, figure 8: three threads in the wrong order. No preemption.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 1121
// MODE: hooks
// FLAGS: -O1
#define BROKEN
#include "../ok/rank_fig8.c"
