// As ok/lf_spsc.c, but the consumer gives the slot back without a release.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_spsc.c"
