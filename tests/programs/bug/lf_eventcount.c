// As ok/lf_eventcount.c, but nobody looks once more before going to sleep, so that the wake-up may be over.
// RADDLE: -s dpor --detect races
// EXPECT: deadlock
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_eventcount.c"
