/* quiet.h - QUIET: a function that touches only memory of one thread, and whose accesses are no operations. */
#ifdef PRIVATE_TOO
#define QUIET
#else
#define QUIET __attribute__((no_sanitize("thread"), noinline))
#endif
