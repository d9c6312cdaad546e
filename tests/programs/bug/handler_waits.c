// A signal handler that interrupts a condition wait waits on the same condition, which can hang in glibc.
// RADDLE: -s dfs
// EXPECT: misuse
// MODE: plain
#define BROKEN
#include "../ok/handler_waits.c"
