// As ok/dekker.c, but a thread that gave way does not claim its turn again, and does not look again whose turn it is.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// MODE: hooks
#define BROKEN
#include "../ok/dekker.c"
