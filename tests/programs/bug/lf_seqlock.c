// As ok/lf_seqlock.c, but the reader does not look whether a writer was there in between.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_seqlock.c"
