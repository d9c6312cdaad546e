/*
 * init.c - the start of the library in a process, and the end of the program in it. When the environment variable
 * RADDLE_CHANNEL names a channel, the process is under control; otherwise every hook passes its call on to libc,
 * and an instrumented program runs as it would without Raddle.
 */
#include "base/text.h"
#include "detect/detect.h"
#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/call/call.h"
#include "rt/call/inline_syscalls.h"
#include "rt/debugger.h"
#include "rt/end_execution.h"
#include "rt/heap/heap.h"
#include "rt/heap/process_detectors.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/isolate/shared_with_fork.h"
#include "rt/isolate/search_memory.h"
#include "rt/isolate/team_member.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/process/standard_streams.h"
#include "rt/raw.h"
#include "rt/stack/unwind.h"
#include "rt/state.h"
#include "rt/thread/backend.h"
#include "rt/thread/ctx.h"
#include "rt/thread/vthread.h"
#include "rt/watch/unseen_activity.h"
#include "trace/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

_Alignas(4096) struct rd_rt rd_rt; /* the fields that are written often share its first page */

/* The kernel refuses a mapping at a fixed address that is taken, so ranges that overlap would stop every program.
 */
#define ENDS_BEFORE(at, size, next) \
    static_assert((uint64_t)(at) + (size) <= (next), "the ranges of layout.h are disjoint")
ENDS_BEFORE(RD_FILES_AT, RD_IO_KINDS *RD_FILES_SLOT, RD_STACKS_AT);
ENDS_BEFORE(RD_STACKS_AT, RD_TID_MAX *RD_STACK_SLOT, RD_SHADOW_AT);
ENDS_BEFORE(RD_SHADOW_AT, RD_TID_MAX *RD_HEAP_SLOT / 16, RD_CHANNEL_AT);
ENDS_BEFORE(RD_ARENA_AT, RD_ARENA_SIZE, RD_CALLS_AT);
ENDS_BEFORE(RD_CALLS_AT, RD_CALLS_SIZE, RD_SEARCH_AT);
ENDS_BEFORE(RD_SEARCH_AT, RD_SEARCH_SIZE, RD_KEPT_AT);
ENDS_BEFORE(RD_KEPT_AT, RD_KEPT_SIZE, RD_HEAP_AT);
ENDS_BEFORE(RD_HEAP_AT, RD_TID_MAX *RD_HEAP_SLOT, RD_MAPS_AT);
ENDS_BEFORE(RD_MAPS_AT, RD_TID_MAX *RD_MAPS_SLOT, RD_SHARING_AT);

/* Ends the process with a message: the library cannot start. */
static _Noreturn void die(const char *reason) {
    char line[256];
    struct rd_text t;
    rd_text_init(&t, line, sizeof line);
    rd_text_str(&t, "raddle: ");
    rd_text_str(&t, reason);
    rd_text_str(&t, "\n");
    (void)!write(2, line, t.used);
    rd_raw(SYS_exit_group, 2);
    __builtin_unreachable();
}

/* Maps the channel; `name`, the value of RADDLE_CHANNEL, is the number of its descriptor. */
static struct rd_channel *attach(const char *name) {
    int fd = atoi(name);
    struct stat st;
    if (fd <= 0 || fstat(fd, &st) != 0)
        die("cannot open the channel to the driver");
    struct rd_channel *c = mmap((void *)RD_CHANNEL_AT, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    close(fd);
    if (c == MAP_FAILED)
        die("cannot map the channel to the driver");
    const char *wrong = rd_channel_check(c, (uint64_t)st.st_size);
    if (wrong)
        die(wrong);
    if (mprotect(c, RD_CHANNEL_PROTECTED, PROT_READ) != 0)
        die("cannot protect the channel to the driver");
    return c;
}

static void *reserve(uint64_t at, uint64_t size) {
    void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        die("cannot reserve address space (is there a limit, see 'ulimit -v'?)");
    return p;
}

/* Takes the process under control, with the channel of this name. */
static void start(const char *name, char **argv) {
    RD_CHECK(!rd_rt.on && !rd_self); /* called once */
    struct rd_channel *c = attach(name);
    rd_rt.channel = c;
    rd_arena_init(&rd_rt.arena, reserve(RD_ARENA_AT, RD_ARENA_SIZE), RD_ARENA_SIZE);
    rd_arena_init(&rd_call_arena, reserve(RD_CALLS_AT, RD_CALLS_SIZE), RD_CALLS_SIZE);
    if (!rd_heap_reserve())
        die("cannot reserve address space for the heap (is there a limit, see 'ulimit -v'?)");
    rd_rt.backend = c->config.backend == RD_BACKEND_KERNEL ? &rd_backend_kernel : &rd_backend_virtual;
    rd_rt.all_accesses = rd_config_sees_accesses(&c->config);
    rd_rt.detail = c->config.detail;
    rd_process_detectors_begin(c->config.detect);
    rd_ctx_init();
    rd_place_main_stack((uintptr_t)argv - 8);
    rd_place_refresh();
    struct rd_record rec = rd_channel_record(c);
    rd_engine_begin(&rd_rt.engine, &rd_rt.arena, &rec, c->execution.paths, &c->execution.path_count);
    if (c->config.workers > 1 && !rd_team_member_attach(RD_HUB_FD))
        die("cannot map the memory that the workers share");
    if (c->config.mode == RD_MODE_EXPLORE && c->config.outlives)
        rd_search_memory_attach(RD_SEARCH_FD);
    rd_rt.engine.world.common_paths = rd_team_member_paths();
    rd_rt.engine.world.spurious_left = c->config.spurious;
    rd_rt.engine.world.timeouts = c->config.timeouts;
    rd_rt.engine.world.signal_fifo = c->config.signal_fifo;
    rd_rt.engine.world.compare = rd_futex_compare;
    rd_rt.engine.world.still_destroyed = rd_object_is_left;
    rd_call_attach_table(RD_EXTENTS_FD);
    if (c->config.sharing && !rd_sharing_attach(c->config.sharing == RD_SHARING_SEARCH ? RD_SHARING_FD : -1))
        die("cannot reserve address space for the table of shared memory (is there a limit, see 'ulimit -v'?)");
    rd_vthread_init_main();
    rd_self->inside = 1;
    rd_finding_init();
    rd_raw(SYS_prctl, PR_GET_NAME, rd_rt.first_name);
    rd_stack_init();
    rd_atfork_init();
    at_quick_exit(rd_rt_end_quickly); /* registered before the program's functions, so it runs after them */
    rd_exit_last();
    rd_unseen_init();
    rd_rt.output_fd = fcntl(1, F_DUPFD_CLOEXEC, 1000);
    if (c->config.separate)
        rd_rt.error_fd = fcntl(2, F_DUPFD_CLOEXEC, 1000);
    rd_standard_streams_environment(); /* programs that this one starts are not under control */
    rd_standard_streams_buffers();
    rd_call_learn_standard();
    rd_call_scan();
    rd_shared_begin();
    if (c->config.mode == RD_MODE_ONE)
        rd_inline_syscalls_arm();
    rd_self->inside = 0;
    rd_rt.on = true;
    rd_debugger_begin();
    __atomic_store_n(&c->live.execution_pid, (int32_t)rd_raw(SYS_getpid), __ATOMIC_RELEASE);
    __atomic_store_n(&c->live.attached, 1, __ATOMIC_RELEASE);
}

__attribute__((constructor(101))) static void begin(int argc, char **argv, char **envp) {
    (void)argc;
    rd_real_init();
    for (char **e = envp; e && *e; e++)
        if (strncmp(*e, "RADDLE_CHANNEL=", 15) == 0) {
            start(*e + 15, argv);
            return;
        }
}

/* The exit status is not noted here: the driver gets it from the kernel. */
void rd_rt_end(void) {
    if (!rd_rt.on || rd_rt.ending || !rd_self)
        return;
    rd_rt_last_exit();
    rd_self->inside = 1;
    rd_process_detectors_end(rd_rt.channel->config.detect);
    rd_rt.ending = true;
    rd_rt_finish_outcome();
}
