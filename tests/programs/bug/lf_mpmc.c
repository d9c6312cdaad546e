// As ok/lf_mpmc.c, but the slot is handed on without a release.
// RADDLE: -s bpor:c=2 --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_mpmc.c"
