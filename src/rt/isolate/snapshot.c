/*
 * snapshot.c - the explorer and the program take turns on one kernel thread: a switch of stacks (rt/thread/ctx.h)
 * leads to the program's stack at the checkpoint and back. The way back comes from the end of the program, from a
 * verdict, from the handler of a fatal signal, or from the handler of a system call that a snapshot cannot undo.
 *
 * The states of this process: at the checkpoint (memory is as rd_kept.state says, rd_kept.running is 0); in an
 * execution (running is 1); putting back (running is 0, memory is still the execution's), which leads to the first.
 */
#include "rt/isolate/snapshot.h"

#include "base/text.h"
#include "rt/call/inline_syscalls.h"
#include "rt/end_execution.h"
#include "rt/isolate/deep_checkpoint.h"
#include "rt/isolate/pages.h"
#include "rt/isolate/syscall_trap.h"
#include "rt/isolate/team_member.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/thread/ctx.h"
#include "rt/thread/vthread.h"

#include <sys/mman.h>

enum { GUARD = 64 << 10, HEAD = 96 << 10, SUMMED = 1024, ARENA_FIRST = 16 << 20 };
static_assert(sizeof(struct rd_kept) <= HEAD, "struct rd_kept fits before the guard");
static_assert(HEAD % 4096 == 0 && GUARD % 4096 == 0 && RD_KEPT_STACK % 4096 == 0, "whole pages");

/* Returns the top of the explorer's stack. */
static char *stack_top(void) { return (char *)RD_KEPT_AT + HEAD + GUARD + RD_KEPT_STACK; }

void rd_snapshot_explorer(void (*explore)(void *)) {
    void *memory = mmap((void *)RD_KEPT_AT, RD_KEPT_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        rd_rt_refuse(
            "cannot reserve address space for the search (has the program set itself a limit, with setrlimit?)");
    char *rest = stack_top();
    mprotect((char *)memory + HEAD, GUARD, PROT_NONE);
    size_t size = RD_KEPT_SIZE - (size_t)(rest - (char *)memory);
    madvise(rest, size, MADV_DONTFORK);
    madvise(rest, size, MADV_HUGEPAGE);
    struct rd_kept *k = rd_kept();
    rd_arena_init(&k->arena, rest, size);
    k->tp = rd_self->tp;
    RD_CHECK(rd_self->tid == 0 && k->tp == rd_ctx_thread_pointer()); /* no second thread exists yet */
    rd_ctx_switch(&k->program_sp, rd_ctx_prepare(rest, explore, NULL), k->tp);
}

/*
 * Makes `size` bytes of the execution's arena accessible beyond the used part, and no more: the kernel takes long
 * to look through much empty memory for written pages. An execution that comes to their end is run again with more.
 */
static bool open_arena(uint64_t size) {
    struct rd_kept *k = rd_kept();
    uint64_t to = RD_MIN((rd_rt.arena.used + size + 4095) & ~(uint64_t)4095, (uint64_t)RD_ARENA_SIZE);
    RD_CHECK(rd_rt.arena.used <= to);
    k->arena_open = to;
    return mprotect((void *)RD_ARENA_AT, to, PROT_READ | PROT_WRITE) == 0 &&
           (to == RD_ARENA_SIZE || mprotect((char *)RD_ARENA_AT + to, RD_ARENA_SIZE - to, PROT_NONE) == 0);
}

void rd_snapshot_forked(void) {
    void *unused;
    RD_ASSERT(!rd_kept()->running && !rd_kept()->forked);
    rd_kept()->forked = 1;
    if (rd_rt.snapshot) { /* the search began with snapshots: remove their trap and their limit of memory */
        rd_trap_end();
        RD_CHECK(open_arena(RD_ARENA_SIZE));
    }
    rd_rt.snapshot = false;
    rd_inline_syscalls_arm();
    rd_ctx_switch(&unused, rd_kept()->program_sp, rd_kept()->tp);
    __builtin_unreachable();
}

bool rd_snapshot_is_arena_end(uint64_t address) {
    uint64_t at = address - RD_ARENA_AT;
    return rd_snapshot_running() && at < RD_ARENA_SIZE && at >= rd_kept()->arena_open;
}

void rd_snapshot_arena(void) {
    RD_ASSERT(rd_snapshot_running());
    rd_kept()->arena_more = 4 * (rd_kept()->arena_open - RD_MIN(rd_kept()->arena_open, rd_kept()->arena_base));
    rd_snapshot_leave(0);
}

bool rd_snapshot_begin(char *why, size_t room) {
    RD_CHECK(!rd_rt.threaded && rd_self->tid == 0); /* the memory to be saved is that of the checkpoint */
    rd_rt.snapshot = true;
    rd_kept()->arena_base = rd_rt.arena.used;
    if (!open_arena(ARENA_FIRST)) {
        rd_text_copy(why, room, "the runtime's memory cannot be protected");
        rd_rt.snapshot = false;
        return false;
    }
    if (rd_trap_begin(why, room) && rd_pages_save(why, room))
        return true;
    rd_rt.snapshot = false;
    return false;
}

bool rd_snapshot_renew(char *why, size_t room) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(!k->state && !k->running); /* the start is saved, not the middle of an execution */
    if (k->arena_more && !open_arena(k->arena_more)) {
        rd_text_copy(why, room, "there is not enough memory for the runtime");
        return false;
    }
    rd_deep_checkpoint_forget();
    return rd_pages_save_again(why, room);
}

/* Returns a sum over the words from `from` to `to`, and `sum`. */
static uint64_t sum_of(const uint64_t *from, const uint64_t *to, uint64_t sum) {
    uint64_t lane[4] = {sum, 1, 2, 3}; /* four sums, so that the processor adds to all of them at once */
    for (; from + 4 <= to; from += 4)
        for (unsigned i = 0; i < 4; i++)
            lane[i] = (lane[i] << 7 | lane[i] >> 57) + from[i];
    for (; from < to; from++)
        lane[0] = lane[0] * 31 + *from;
    return lane[0] ^ lane[1] * 3 ^ lane[2] * 5 ^ lane[3] * 7;
}

uint64_t rd_snapshot_shape(void) {
    const struct rd_channel *c = rd_rt.channel;
    return sum_of(&c->magic, &c->suppress_count, rd_channel_has_canaries(c)) ^ rd_team_member_shape();
}

/*
 * Returns a sum over memory that the explorer relies on and that an execution must leave alone: the explorer's
 * stack from `frame` on, and the shape of channel and hub. In a guarded execution (memory_guard.h) that is the
 * whole stack, else its first SUMMED bytes.
 */
static uint64_t sum_from(const uint64_t *frame) {
    const uint64_t *top = (const uint64_t *)(const void *)stack_top();
    bool guarded = rd_kept()->guard.watched;
    uint64_t s = sum_of(frame, guarded ? top : RD_MIN(frame + SUMMED / sizeof *frame, top), 0);
    return s ^ rd_snapshot_shape();
}

void rd_snapshot_go(const struct rd_deep_checkpoint *to) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(!k->running);
    if (k->state == to)
        return;
    rd_pages_begin(); /* page faults since the last execution are the search's */
    rd_pages_restore(to ? &to->pages : NULL);
    k->state = to;
}

/* Goes over to the program's stack, until the execution is over. Between, it may be kept (rd_snapshot_pause). */
static void execute(struct rd_kept *k, uint64_t (*now)(void *)) {
    const struct rd_deep_checkpoint *from = k->state;
    void *sp = from ? from->sp : k->program_sp, *tp = from ? from->tp : k->tp;
    k->deeps.resumed = from != NULL;
    for (;;) {
        rd_trap_on();
        rd_ctx_switch(&k->explorer_sp, sp, tp);
        if (!k->paused)
            return;
        k->paused = 0;
        rd_memory_guard_end(now); /* the copies of pages are written into the memory that is guarded */
        sp = k->paused_sp;
        tp = rd_deep_checkpoint_keep(sp);
    }
}

enum rd_snapshot_end rd_snapshot_run(uint64_t (*now)(void *)) {
    struct rd_kept *k = rd_kept();
    const void *frame = __builtin_frame_address(0);
    RD_ASSERT(!k->running && !k->paused && !k->map_count && !k->change_count); /* the last one was put back */
    k->unfit[0] = 0;
    k->carriers = 0;
    k->heap_open = k->stack_size = k->arena_more = 0;
    k->called_ever = 0;
    rd_memory_guard_begin(now);
    k->sum = sum_from(frame);
    rd_pages_begin();
    k->running = 1;
    execute(k, now);
    /* the execution is over, the explorer goes on; memory is still the execution's */
    k->running = 0;
    bool hit = rd_memory_guard_end(now);
    uint64_t start = k->timed ? now(NULL) : 0;
    rd_trap_undo();
    bool more = k->carriers || k->heap_open || k->stack_size || k->arena_more || k->unfit[0];
    const struct rd_deep_checkpoint *to = more ? NULL : rd_deep_checkpoint_last();
    rd_pages_restore(to ? &to->pages : NULL);
    k->state = to;
    if (!rd_fds_back())
        return RD_SNAPSHOT_LOST;
    k->restore_ns += k->timed ? now(NULL) - start : 0;
    if (hit || k->sum != sum_from(frame))
        return RD_SNAPSHOT_BROKEN;
    if (k->unfit[0])
        return RD_SNAPSHOT_UNFIT;
    return more ? RD_SNAPSHOT_MORE : RD_SNAPSHOT_OVER;
}

void rd_snapshot_pause(void) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(rd_snapshot_running());
    rd_trap_off();
    k->paused = 1;
    rd_ctx_switch(&k->paused_sp, k->explorer_sp, k->tp);
}

void rd_snapshot_leave(int status) {
    struct rd_kept *k = rd_kept();
    void *unused;
    RD_ASSERT(rd_snapshot_running());
    rd_trap_off();
    k->status = status;
#if defined __x86_64__
    __asm__ volatile("fninit"); /* the execution may end in the middle of x87 code, with values on that stack */
#endif
    rd_ctx_switch(&unused, k->explorer_sp, k->tp);
    __builtin_unreachable();
}

void rd_snapshot_unfit(const char *why) {
    struct rd_kept *k = rd_kept();
    rd_text_copy(k->unfit, sizeof k->unfit, why);
    rd_snapshot_leave(0);
}

void rd_snapshot_carriers(uint32_t count) {
    RD_CHECK(count > 0);
    rd_kept()->carriers = count;
    rd_snapshot_leave(0);
}

void rd_snapshot_stack(rd_tid tid, size_t size) {
    RD_CHECK(tid < RD_TID_MAX && size > 0);
    rd_kept()->stack_tid = tid;
    rd_kept()->stack_size = size;
    rd_snapshot_leave(0);
}

void rd_snapshot_heap(rd_tid tid, uint64_t open) {
    RD_CHECK(tid < RD_TID_MAX && open > 0);
    rd_kept()->heap_tid = tid;
    rd_kept()->heap_open = open;
    rd_snapshot_leave(0);
}
