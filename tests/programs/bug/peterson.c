// As ok/peterson.c, but a thread claims its turn after the test: both can pass the test.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
// MODE: hooks
#define BROKEN
#include "../ok/peterson.c"
