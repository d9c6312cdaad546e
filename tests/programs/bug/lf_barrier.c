// As ok/lf_barrier.c, but arriving does not publish what was done before.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_barrier.c"
