// As ok/rwlock_nested_read.c, but with writer preference: a writer that comes between the two read locks blocks both.
// RADDLE: -s dfs
// EXPECT: deadlock
#define BROKEN
#include "../ok/rwlock_nested_read.c"
