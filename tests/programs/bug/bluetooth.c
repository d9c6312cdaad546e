// The Bluetooth driver of Qadeer and Wu: the adder tests the stop flag before it counts itself in.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 954
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/bluetooth.c"
