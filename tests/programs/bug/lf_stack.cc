// As ok/lf_stack.cc, but the counter of changes stays the same: a reused node is mistaken for the old one (ABA).
// RADDLE: -s dpor --detect races
// EXPECT: assertion
// COMPILE: clang
// MODE: hooks
// FLAGS: -std=c++20 -O2
#define BROKEN
#include "../ok/lf_stack.cc"
