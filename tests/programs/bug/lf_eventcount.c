// As ok/lf_eventcount.c, but a thread does not check again before it sleeps, so that it may miss the wake-up.
// RADDLE: -s dpor --detect races
// EXPECT: deadlock
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_eventcount.c"
