// As ok/lf_refcount.c, but the last one has no fence: it may not see what the others did.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_refcount.c"
