// As ok/lf_rcu.c, but the grace period ends before the last reader has left.
// RADDLE: -s dpor --detect heap
// EXPECT: use-after-free
// OUTPUT:   freed by
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_rcu.c"
