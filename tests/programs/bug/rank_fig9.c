// RankChecker, figure 9 with its assertion corrected: both increments between the two reads.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 2821
// MODE: hooks
// FLAGS: -O1
#define BROKEN
#include "../ok/rank_fig9.c"
