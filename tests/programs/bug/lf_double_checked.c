// As ok/lf_double_checked.c, but the first check is not an acquire: the object may not be complete.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_double_checked.c"
