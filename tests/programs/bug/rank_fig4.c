// RankChecker, figure 4: two preemptions at two different variables.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 239
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/rank_fig4.c"
