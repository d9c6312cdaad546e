// As ok/cond_while.c, but the two consumers wait with `if`: the second one to wake finds an empty queue.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// MODE: plain hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/cond_while.c"
