// As ok/lf_map.c, but a slot is claimed by a read and a write: two keys get the same slot.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_map.c"
