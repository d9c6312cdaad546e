// RankChecker, figure 12: AllocationVector with one block. Find, check and mark are atomic, together they
// are not.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 625
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/rank_fig12.c"
