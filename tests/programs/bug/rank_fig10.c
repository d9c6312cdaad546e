// RankChecker, figure 10: two increments by two threads, each between two reads.
// RADDLE: -s random --seed 1 -n 4000 --points all
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O1
#define BROKEN
#include "../ok/rank_fig10.c"
