// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: clang
// FLAGS: -O2 -std=gnu17 -pthread -mllvm -tsan-distinguish-volatile=1
#include "volatile.h"
