// As ok/futex_requeue.c, but a waiter that was moved to the lock takes it as if no other thread waited there.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#define BROKEN
#include "../ok/futex_requeue.c"
