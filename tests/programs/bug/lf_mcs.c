// As ok/lf_mcs.c, but who leaves does not wait for the one that is about to link itself, which then waits for ever.
// RADDLE: -s dpor --detect races
// EXPECT: livelock
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_mcs.c"
