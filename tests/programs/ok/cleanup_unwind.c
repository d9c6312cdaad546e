// The same as cleanup.c, compiled so that the handlers are found by unwinding instead of a list.
// RADDLE: -s random --seed 2 -n 300
// EXPECT: none
// FLAGS: -fexceptions
#include "cleanup.c"
