// As ok/lf_queue.c, but the node is linked without a release: the thread that dequeues it may not see its value.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_queue.c"
