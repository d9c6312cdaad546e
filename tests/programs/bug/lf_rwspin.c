// As ok/lf_rwspin.c, but readers enter while a writer is inside.
// RADDLE: -s bpor:c=2 --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_rwspin.c"
