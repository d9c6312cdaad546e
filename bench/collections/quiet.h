/* quiet.h - QUIET: what a function touches belongs to one thread, and its accesses are no operations. */
#ifdef PRIVATE_TOO
#define QUIET
#else
#define QUIET __attribute__((no_sanitize("thread"), noinline))
#endif
