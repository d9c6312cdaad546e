/*
 * unseen_activity.c - activity of the program that no hook sees, as far as the runtime can notice it cheaply:
 * kernel threads that the runtime has not made, and modules in a list of their own, which call another libc.
 * (hang.c notes what the watchdog finds.) Such a program is not refused, but the search makes no claim about it,
 * and the summary gives the reason.
 *
 * The number of kernel threads is the number of links of /proc/self/task less two: one call of stat. It is read at
 * the checkpoint and at the end of an execution, so a thread that begins and ends between the two is not noticed.
 * To catch every system call of the program (Syscall User Dispatch, seccomp) would notice it, but would cost a
 * signal for each call that libc makes.
 */
#include "rt/watch/unseen_activity.h"

#include "rt/address/place_of_address.h"
#include "rt/libc/libc_functions.h"
#include "rt/state.h"
#include "trace/place.h"

#include <link.h>
#include <sys/stat.h>

static uint32_t made;     /* kernel threads that the runtime has made in this process; some may have ended */
static bool usable, seen; /* /proc counts threads as expected; there was an unseen thread at the checkpoint */

/* The number of kernel threads of this process; 0: not known. */
static uint32_t tasks(void) {
    struct stat st;
    return stat("/proc/self/task", &st) == 0 && st.st_nlink > 2 ? (uint32_t)st.st_nlink - 2 : 0;
}

void rd_unseen_init(void) {
    RD_CHECK(made == 0);
    usable = tasks() == 1;
}

void rd_unseen_made(void) { __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED); }

bool rd_unseen_threads(void) { return usable && tasks() > 1 + __atomic_load_n(&made, __ATOMIC_RELAXED); }

void rd_unseen_checkpoint(void) {
    RD_CHECK(!rd_rt.threaded);
    seen = rd_unseen_threads();
}

void rd_unseen_forked(void) { made = 0; }

void rd_unseen_end(void) {
    if (seen || rd_unseen_threads())
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_THREAD;
}

void rd_unseen_modules(void) {
    if (_r_debug.r_version > 1) /* glibc 2.35 or later: the linker has more than one list of modules */
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_LIST;
}

bool rd_unseen_is_libc(rd_place pc) {
    int libc = rd_place_module(rd_place_of((uint64_t)(uintptr_t)rd_real._exit));
    return libc >= 0 && rd_place_module(pc) == libc;
}
