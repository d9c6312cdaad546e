// RankChecker, figure 2: two reads with an increment in between. One preemption.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 34
// MODE: hooks
// FLAGS: -O1
#define BROKEN
#include "../ok/rank_fig2.c"
