// As ok/lf_condqueue.c, but the condition is not checked again after the wait.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_condqueue.c"
