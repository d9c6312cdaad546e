// As ok/lf_clh.c, but the lock is taken without an acquire.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/lf_clh.c"
