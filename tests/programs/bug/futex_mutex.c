// As ok/futex_mutex.c, but a thread that gets the lock after a wait forgets that others may still wait: they are never
// woken.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// TIMES: 20
#define BROKEN
#include "../ok/futex_mutex.c"
