// As ok/lf_treiber.c, but the top is not looked at again once the hazard is announced.
// RADDLE: -s dpor --detect heap
// EXPECT: use-after-free
// OUTPUT:   freed by
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_treiber.c"
