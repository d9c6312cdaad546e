// A write that comes late is read too early (RAPOS, figure 1).
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 83
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/rapos_fig1.c"
