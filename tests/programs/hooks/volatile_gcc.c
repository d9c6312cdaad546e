// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc
// FLAGS: -O2 -std=gnu17 -pthread --param tsan-distinguish-volatile=1
#include "volatile.h"
