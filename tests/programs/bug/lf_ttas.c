// As ok/lf_ttas.c, but the lock is taken without an acquire.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_ttas.c"
