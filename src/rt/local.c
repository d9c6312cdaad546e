/*
 * local.c - the local state of a thread at one of its operations: the registers that survive a call, and its stack.
 * Together with what it reads from memory they decide what it does next, so a thread that is back in the same state
 * goes round in a loop (engine/spin.h).
 */
#include "rt/rt.h"

/*
 * Frames further up cannot change while this one loops, except by writes that are operations of their own. A frame
 * that is larger than the first number is covered where it has a frame pointer (always without optimisation).
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

uint64_t rd_local_state(uint64_t pc) {
    uint64_t *entry = rd_self->entry, low = (uintptr_t)rd_self->stack_low, top = (uintptr_t)rd_self->stack_top;
    if (rd_self->tid == 0) {
        void *from, *to;
        rd_place_main_bounds(&from, &to);
        low = (uintptr_t)from;
        top = (uintptr_t)to;
    }
    uint64_t sp = entry[SP], hash = pc;
    if (sp < low || sp >= top || return_address(entry) != pc || !rd_place_is_instrumented(pc))
        return 0; /* it came another way, or runs on a stack of its own */
    for (unsigned i = 0; i < REGISTERS; i++)
        if (i != SP)
            hash = (hash ^ entry[i]) * 0x9e3779b97f4a7c15u;
    uint64_t end = frames(entry) + STACK_BYTES;
    if (entry[FP] > end && entry[FP] - frames(entry) < FRAME_BYTES)
        end = entry[FP] + 16;
    end = RD_MIN(top, end);
    for (const uint64_t *p = (const uint64_t *)frames(entry); (uintptr_t)(p + 1) <= end; p++)
        hash = (hash ^ *p) * 0x9e3779b97f4a7c15u + (hash >> 29);
    entry[SP] = 0;
    hash = rd_mix(hash);
    return hash ? hash : 1;
}
