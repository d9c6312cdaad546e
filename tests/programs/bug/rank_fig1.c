// RankChecker, figure 1: a read that must come first. No preemption is needed.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 19
// MODE: hooks
// FLAGS: -O1
#define BROKEN
#include "../ok/rank_fig1.c"
