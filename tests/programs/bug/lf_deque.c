// As ok/lf_deque.c, but the owner takes the last item without moving the top: a thief takes it, too.
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
#define BROKEN
#include "../ok/lf_deque.c"
