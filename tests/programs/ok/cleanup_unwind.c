// The same as cleanup.c, compiled so that unwinding finds the handlers instead of a list.
// RADDLE: -s random --seed 2 -n 300
// EXPECT: none
// FLAGS: -fexceptions
#include "cleanup.c"
