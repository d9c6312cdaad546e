// As ok/lf_ticket.c, but the lock is released without a release.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_ticket.c"
