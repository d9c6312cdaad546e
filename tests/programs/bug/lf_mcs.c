// As ok/lf_mcs.c, but a leaving thread does not wait for the thread that is about to link itself, which then waits for
// ever.
// RADDLE: -s dpor --detect races
// EXPECT: livelock
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_mcs.c"
