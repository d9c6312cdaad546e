/*
 * limits.c - see limits.h. They are asked for before anything is started: what a limit breaks later, it breaks in
 * the middle of something, or in the tested program, where it looks like a bug. Raddle does not raise them itself:
 * a tested program has the limits that its user gave it.
 *
 * Memory is only reserved: hundreds of gigabytes of addresses, of which the kernel provides what is touched. Limits
 * of addresses count all of it. A stack without a limit makes the kernel place libraries from below, where these
 * addresses are.
 */
#include "drive/process/limits.h"

#include "channel/channel.h"

#include <stdio.h>
#include <sys/resource.h>

enum { STACK_MIN = 1 << 20, STACK_USUAL_KIB = 8192, FILES_MIN = RD_EXTENTS_FD + 2, FILES_USUAL = 1024 };

/* The limit that counts; RLIM_INFINITY: none. */
static rlim_t limit_of(int what) {
    struct rlimit r;
    return getrlimit((__rlimit_resource_t)what, &r) == 0 ? r.rlim_cur : RLIM_INFINITY;
}

int rd_limits_check(struct rd_error *error) {
    rlim_t stack = limit_of(RLIMIT_STACK), files = limit_of(RLIMIT_NOFILE);
    bool addresses = limit_of(RLIMIT_AS) != RLIM_INFINITY, data = limit_of(RLIMIT_DATA) != RLIM_INFINITY;
    if (addresses || data)
        rd_error_set(error,
                     "the %s limited here (ulimit -%c), and raddle reserves more of it than it will use; set it to "
                     "unlimited",
                     addresses ? "address space is" : "data segment is", addresses ? 'v' : 'd');
    else if (stack == RLIM_INFINITY)
        rd_error_set(
            error,
            "the stack has no limit here (ulimit -s), so that libraries are where raddle's memory is to be; set "
            "one, like 'ulimit -s %d'",
            STACK_USUAL_KIB);
    else if (stack < STACK_MIN)
        rd_error_set(error, "the stack is limited to %llu KiB here (ulimit -s), and raddle needs %d",
                     (unsigned long long)(stack >> 10), STACK_MIN >> 10);
    else if (files < FILES_MIN)
        rd_error_set(error, "open files are limited to %llu here (ulimit -n), and raddle needs %d",
                     (unsigned long long)files, FILES_USUAL);
    else
        return 0;
    return -1;
}
