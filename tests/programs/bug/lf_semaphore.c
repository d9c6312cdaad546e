// As ok/lf_semaphore.c, but the signal is sent for the wrong change: the waiter is not woken.
// RADDLE: -s dpor --detect races
// EXPECT: deadlock
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_semaphore.c"
