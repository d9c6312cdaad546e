// As ok/race_fences.c, but the flag is stored without a release: nothing orders the data's write and its read.
// RADDLE: --detect races -s dpor
// EXPECT: data-race
// MODE: hooks
#define BROKEN
#include "../ok/race_fences.c"
