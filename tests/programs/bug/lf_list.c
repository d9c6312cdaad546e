// As ok/lf_list.c, but the node is linked without a release: others may not see its key.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O2
#define BROKEN
#include "../ok/lf_list.c"
