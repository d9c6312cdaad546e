/*
 * limits.c - see limits.h. A command checks the limits before it starts a process: later, a limit would make the
 * search fail half-way, or the tested program, where the failure would look like a bug of that program. Raddle does
 * not raise limits itself, because the tested program is to have the limits that its user has set.
 *
 * Raddle reserves hundreds of gigabytes of addresses, and the kernel provides only the pages that are touched. A
 * limit of the address space or the data segment counts all of the reserved addresses. If the stack has no limit,
 * the kernel places libraries from low addresses upwards, where Raddle has its memory.
 */
#include "drive/process/limits.h"

#include "channel/channel.h"

#include <stdio.h>
#include <sys/resource.h>

enum { STACK_MIN = 1 << 20, STACK_USUAL_KIB = 8192, FILES_MIN = RD_EXTENTS_FD + 2, FILES_USUAL = 1024 };

/* The soft limit of a resource; RLIM_INFINITY: there is none. */
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
