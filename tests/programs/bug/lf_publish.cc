// As ok/lf_publish.cc, but the snapshot is published without a release.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
// FLAGS: -std=c++20
#define BROKEN
#include "../ok/lf_publish.cc"
