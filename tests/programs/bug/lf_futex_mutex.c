// As ok/lf_futex_mutex.c, but a thread that has slept takes the lock as if no other thread slept: the next one is not
// woken.
// RADDLE: -s bpor:c=2 --detect races
// EXPECT: deadlock
// COMPILE: gcc
// MODE: hooks
#define BROKEN
#include "../ok/lf_futex_mutex.c"
