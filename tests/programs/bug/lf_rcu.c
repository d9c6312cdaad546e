// As ok/lf_rcu.c, but the grace period is over before the last reader has left.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_rcu.c"
