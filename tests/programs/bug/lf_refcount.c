// As ok/lf_refcount.c, but the last thread has no fence: it may not see the writes of the others.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_refcount.c"
