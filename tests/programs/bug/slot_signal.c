// As ok/slot_broadcast.c, but a signal wakes one thread only, which can be one that waits for the other condition.
// RADDLE: -s random --seed 7 -n 100000
// EXPECT: deadlock
// MODE: plain hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/slot_broadcast.c"
