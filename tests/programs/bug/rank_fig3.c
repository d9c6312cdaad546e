// RankChecker, figure 3: a value that exists for a moment only. Two preemptions.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 63
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/rank_fig3.c"
