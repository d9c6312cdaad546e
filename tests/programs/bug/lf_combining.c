// As ok/lf_combining.c, but the result is handed over without a release.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_combining.c"
