// As ok/lf_barrier.c, but arriving does not publish the thread's writes before it.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_barrier.c"
