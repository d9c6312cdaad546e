// Two setters and a checker that must see both values or none (SCTBench, reorder).
// RADDLE: -s random --seed 1 -n 2000 --points all
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#define BROKEN
#include "../ok/reorder_2.c"
