/* snapshot.c - see snapshot.h. */
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
static_assert(sizeof(struct rd_kept) <= HEAD, "there is room for it");

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
    rd_ctx_switch(&k->program_sp, rd_ctx_prepare(rest, explore, NULL), k->tp);
}

/*
 * Of the execution's arena only the beginning is accessible, because looking through much empty memory for pages
 * takes the kernel long. An execution that comes to the end of that is run again with more.
 */
static bool open_arena(uint64_t size) {
    struct rd_kept *k = rd_kept();
    uint64_t to = RD_MIN((rd_rt.arena.used + size + 4095) & ~(uint64_t)4095, (uint64_t)RD_ARENA_SIZE);
    k->arena_open = to;
    return mprotect((void *)RD_ARENA_AT, to, PROT_READ | PROT_WRITE) == 0 &&
           (to == RD_ARENA_SIZE || mprotect((char *)RD_ARENA_AT + to, RD_ARENA_SIZE - to, PROT_NONE) == 0);
}

void rd_snapshot_forked(void) {
    void *unused;
    rd_kept()->forked = 1;
    if (rd_rt.snapshot) {
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
    rd_kept()->arena_more = 4 * (rd_kept()->arena_open - RD_MIN(rd_kept()->arena_open, rd_kept()->arena_base));
    rd_snapshot_leave(0);
}

bool rd_snapshot_begin(char *why, size_t room) {
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
    RD_CHECK(!k->state);
    if (k->arena_more && !open_arena(k->arena_more)) {
        rd_text_copy(why, room, "there is not enough memory for the runtime");
        return false;
    }
    rd_deep_checkpoint_forget();
    return rd_pages_save_again(why, room);
}

static uint64_t sum_of(const uint64_t *from, const uint64_t *to, uint64_t sum) {
    uint64_t lane[4] = {sum, 1, 2, 3}; /* four at a time do not wait for each other */
    for (; from + 4 <= to; from += 4)
        for (unsigned i = 0; i < 4; i++)
            lane[i] = (lane[i] << 7 | lane[i] >> 57) + from[i];
    for (; from < to; from++)
        lane[0] = lane[0] * 31 + *from;
    return lane[0] ^ lane[1] * 3 ^ lane[2] * 5 ^ lane[3] * 7;
}

uint64_t rd_snapshot_shape(void) {
    const struct rd_channel *c = rd_rt.channel;
    return sum_of(&c->magic, &c->suppress_count, 0) ^ rd_team_member_shape();
}

/* Of what the explorer relies on and the program has no business with: the end of its stack, and the shape of the
 * channel and the hub. Of a guarded execution (memory_guard.h): all of the stack that is in use. */
static uint64_t sum_from(const uint64_t *frame) {
    const uint64_t *top = (const uint64_t *)(const void *)stack_top();
    bool guarded = rd_kept()->guard.watched;
    uint64_t s = sum_of(frame, guarded ? top : RD_MIN(frame + SUMMED / sizeof *frame, top), 0);
    return s ^ rd_snapshot_shape();
}

void rd_snapshot_go(const struct rd_deep_checkpoint *to) {
    struct rd_kept *k = rd_kept();
    if (k->state == to)
        return;
    rd_pages_begin(); /* whatever was written since the last one was, the search has written */
    rd_pages_restore(to ? &to->pages : NULL);
    k->state = to;
}

/* To the program's stack, until the execution is over. */
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
        rd_memory_guard_end(now); /* what is kept now is written where nobody else may */
        sp = k->paused_sp;
        tp = rd_deep_checkpoint_keep(sp);
    }
}

enum rd_snapshot_end rd_snapshot_run(uint64_t (*now)(void *)) {
    struct rd_kept *k = rd_kept();
    const void *frame = __builtin_frame_address(0);
    k->unfit[0] = 0;
    k->carriers = 0;
    k->heap_open = k->stack_size = k->arena_more = 0;
    k->called_ever = 0;
    rd_memory_guard_begin(now);
    k->sum = sum_from(frame);
    rd_pages_begin();
    k->running = 1;
    execute(k, now);
    /* the execution is over, this is the explorer again; memory is still the execution's */
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
    rd_trap_off();
    k->paused = 1;
    rd_ctx_switch(&k->paused_sp, k->explorer_sp, k->tp);
}

void rd_snapshot_leave(int status) {
    struct rd_kept *k = rd_kept();
    void *unused;
    rd_trap_off();
    k->status = status;
#if defined __x86_64__
    __asm__ volatile("fninit"); /* whatever it was in the middle of */
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
    rd_kept()->carriers = count;
    rd_snapshot_leave(0);
}

void rd_snapshot_stack(rd_tid tid, size_t size) {
    rd_kept()->stack_tid = tid;
    rd_kept()->stack_size = size;
    rd_snapshot_leave(0);
}

void rd_snapshot_heap(rd_tid tid, uint64_t open) {
    rd_kept()->heap_tid = tid;
    rd_kept()->heap_open = open;
    rd_snapshot_leave(0);
}
