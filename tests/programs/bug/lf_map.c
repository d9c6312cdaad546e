// As ok/lf_map.c, but a slot is claimed by a look and a write: two keys get the same one.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_map.c"
