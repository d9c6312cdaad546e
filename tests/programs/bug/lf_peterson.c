// As ok/lf_peterson.c, but leaving is relaxed: nothing orders the two critical sections.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/lf_peterson.c"
