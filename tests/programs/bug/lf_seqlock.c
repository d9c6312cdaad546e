// As ok/lf_seqlock.c, but the reader does not check whether a writer came in between.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_seqlock.c"
