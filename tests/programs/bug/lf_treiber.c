// As ok/lf_treiber.c, but the top is not checked again after the hazard pointer is set.
// RADDLE: -s dpor --detect heap
// EXPECT: use-after-free
// OUTPUT:   freed by
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_treiber.c"
