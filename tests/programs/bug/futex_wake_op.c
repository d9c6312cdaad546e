// As ok/futex_wake_op.c, but the threads that wait for the second word are woken only if it was greater than 2: it was 2.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#define BROKEN
#include "../ok/futex_wake_op.c"
