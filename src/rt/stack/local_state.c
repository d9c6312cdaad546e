/*
 * local_state.c - the local state of a thread at one of its operations: the registers that survive a call, and its
 * stack. Together with the values that the thread reads from memory they determine its next operations, so a thread
 * that is in the same state again is in a loop (engine/spin.h).
 */
#include "rt/stack/local_state.h"

#include "rt/address/place_of_address.h"
#include "rt/thread/vthread.h"

/*
 * Only the newest STACK_BYTES of the stack are hashed: while the newest frame loops, the frames above it can change
 * only by writes that are operations of their own. A larger newest frame, of up to FRAME_BYTES, is hashed whole if
 * it has a frame pointer (always without optimisation).
 */
enum { STACK_BYTES = 2048, FRAME_BYTES = 1 << 16 };

#if defined __x86_64__
enum { REGISTERS = 6, SP = RD_ENTRY_SP, FP = 1 };
static uint64_t return_address(const uint64_t *entry) { return *(const uint64_t *)entry[SP]; }
static uint64_t frames(const uint64_t *entry) { return entry[SP] + 8; }
#elif defined __aarch64__
enum { REGISTERS = 13, SP = RD_ENTRY_SP, FP = 12 };
static uint64_t return_address(const uint64_t *entry) { return entry[SP + 1]; }
static uint64_t frames(const uint64_t *entry) { return entry[SP]; }
#endif

static_assert(REGISTERS <= sizeof rd_self->entry / sizeof rd_self->entry[0], "entry_*.S keeps them");
static_assert(FP < SP || FP < REGISTERS, "the frame pointer is one of the registers");

__extension__ typedef unsigned __int128 u128;

/* The result contains `a` itself, so that no value of `b` can cancel what was hashed before. */
static uint64_t fold(uint64_t a, uint64_t b) {
    u128 m = (u128)a * (b ^ 0x4b7c2e91d05f83a7u);
    return a ^ (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Four independent hashes, which the processor computes in parallel: every read of the program computes them. */
struct lanes {
    uint64_t a, b, c, d;
};

__attribute__((always_inline)) static inline void hash_words(struct lanes *l, const uint64_t *p,
                                                             const uint64_t *end) {
    for (; end - p >= 8; p += 8) {
        l->a = fold(l->a ^ p[0], p[1]);
        l->b = fold(l->b ^ p[2], p[3]);
        l->c = fold(l->c ^ p[4], p[5]);
        l->d = fold(l->d ^ p[6], p[7]);
    }
    if (end - p >= 4) {
        l->a = fold(l->a ^ p[0], p[1]);
        l->b = fold(l->b ^ p[2], p[3]);
        p += 4;
    }
    if (end - p >= 2) {
        l->c = fold(l->c ^ p[0], p[1]);
        p += 2;
    }
    if (p < end)
        l->d = fold(l->d ^ *p, 1);
}

uint64_t rd_local_state(uint64_t pc) {
    uint64_t *entry = rd_self->entry, low = (uintptr_t)rd_self->stack_low, top = (uintptr_t)rd_self->stack_top;
    if (rd_self->tid == 0) {
        void *from, *to;
        rd_place_main_bounds(&from, &to);
        low = (uintptr_t)from;
        top = (uintptr_t)to;
    }
    uint64_t sp = entry[SP];
    if (sp < low || sp >= top || return_address(entry) != pc || !rd_place_is_instrumented(pc))
        return 0; /* the hook was entered without entry_*.S, or the thread runs on a stack that the program made */
    struct lanes l = {pc, ~pc, pc ^ 0xbf58476d1ce4e5b9u, pc ^ 0x94d049bb133111ebu};
    hash_words(&l, entry, entry + SP);
    hash_words(&l, entry + SP + 1, entry + REGISTERS);
    uint64_t end = frames(entry) + STACK_BYTES;
    if (entry[FP] > end && entry[FP] - frames(entry) < FRAME_BYTES)
        end = entry[FP] + 16;
    uint64_t base = (uintptr_t)rd_self->base_frame; /* the frames above it are not the program's */
    end = RD_MIN(base > sp ? base : top, end);
    const uint64_t *from = (const uint64_t *)frames(entry);
    hash_words(&l, from, from + (end - frames(entry)) / sizeof *from);
    uint64_t hash = fold(fold(l.a, l.b), fold(l.c, l.d));
    entry[SP] = 0;
    return hash ? hash : 1;
}
