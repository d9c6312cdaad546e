// As ok/lf_treiber.c, but the top is not looked at again once the hazard is announced.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_treiber.c"
