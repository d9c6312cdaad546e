/*
 * unseen_activity.c - what happens beside the hooks, as far as it is noticed cheaply: threads that nobody here
 * made, modules in a list of their own, whose calls go to another libc, and what the watchdog found. Such a program
 * is not refused, but nothing is proved about it, and the summary says why.
 *
 * Threads are counted by the links of /proc/self/task, one call of stat: two and one for each. That is looked at
 * where the first thread is created and at the end of an execution; a thread that came and went in between is not
 * noticed. Catching every system call of the program itself (Syscall User Dispatch, seccomp) would notice it, but
 * costs a signal for each call that libc makes, too, and is not worth that.
 */
#include "rt/watch/unseen_activity.h"

#include "rt/address/place_of_address.h"
#include "rt/libc/libc_functions.h"
#include "rt/state.h"
#include "trace/place.h"

#include <link.h>
#include <sys/stat.h>

static uint32_t made;     /* by us in this process, some of which may have ended */
static bool usable, seen; /* /proc counts as expected; there was one at the checkpoint */

static uint32_t tasks(void) {
    struct stat st;
    return stat("/proc/self/task", &st) == 0 && st.st_nlink > 2 ? (uint32_t)st.st_nlink - 2 : 0;
}

void rd_unseen_init(void) { usable = tasks() == 1; }

void rd_unseen_made(void) { __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED); }

bool rd_unseen_threads(void) { return usable && tasks() > 1 + __atomic_load_n(&made, __ATOMIC_RELAXED); }

void rd_unseen_checkpoint(void) { seen = rd_unseen_threads(); }

void rd_unseen_forked(void) { made = 0; }

void rd_unseen_end(void) {
    if (seen || rd_unseen_threads())
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_THREAD;
}

void rd_unseen_modules(void) {
    if (_r_debug.r_version > 1) /* the linker says so from glibc 2.35 on */
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_LIST;
}

bool rd_unseen_is_libc(rd_place pc) {
    int libc = rd_place_module(rd_place_of((uint64_t)(uintptr_t)rd_real._exit));
    return libc >= 0 && rd_place_module(pc) == libc;
}
