// As ok/lf_dekker.c, but leaving is relaxed: nothing orders the two critical sections.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_dekker.c"
