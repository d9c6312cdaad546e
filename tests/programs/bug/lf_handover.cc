// As ok/lf_handover.cc, but the consumer does not say that the slot is free again.
// RADDLE: -s dpor --detect races
// EXPECT: deadlock
// COMPILE: clang
// MODE: hooks
// FLAGS: -std=c++20
#define BROKEN
#include "../ok/lf_handover.cc"
