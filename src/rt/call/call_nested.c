/*
 * call_nested.c - counts the nested calls of a thread: calls of library functions that call functions of the
 * program (call.h). rd_vthread.nested is their number, plus RD_CALL_MUTED for each muted call (call_sync.c).
 */
#include "rt/call/call.h"

static bool on_own_stack(const uint64_t *at) {
    return (uintptr_t)at >= (uintptr_t)rd_self->stack_low && (uintptr_t)at < (uintptr_t)rd_self->stack_top;
}

uint32_t rd_call_levels(void) { return rd_self->nested % RD_CALL_MUTED; }

static void set_levels(uint32_t count) {
    RD_CHECK(count <= RD_CALL_LEVELS && rd_call_levels() <= RD_CALL_LEVELS);
    rd_self->nested = rd_self->nested - rd_call_levels() + count;
}

/*
 * A nested call that an exception or longjmp() has left does not call rd_call_back(). As long as a nested call
 * runs, the return address into the thunk is in its place on the stack; if another value is there, the call was
 * left. (If the stack has not been written to since, the address is still there, and this function finds out later;
 * until then operations depend on more than they need to.) Calls on stacks of coroutines stay counted, because that
 * memory may be unmapped.
 */
void rd_call_forget_left(void) {
    uint32_t n = rd_call_levels();
    RD_ASSERT(n <= RD_CALL_LEVELS && (!n || rd_self->called));
    while (n && on_own_stack(rd_self->called->level[n - 1]) &&
           *rd_self->called->level[n - 1] != (uintptr_t)rd_call_nested_return)
        n--;
    if (n != rd_call_levels())
        set_levels(n);
}

/* A nested call begins. Nested calls that are deeper on the same stack were left. Beyond RD_CALL_LEVELS levels the
 * calls are not counted: the outer ones already make all operations depend on all operations. */
void rd_call_begin_nested(const struct rd_call_frame *frame) {
    const uint64_t *at = (const uint64_t *)frame - 1, **level = rd_self->called->level;
    uint32_t n = rd_call_levels();
    while (n && on_own_stack(at) && on_own_stack(level[n - 1]) && level[n - 1] <= at)
        n--;
    if (n < RD_CALL_LEVELS)
        level[n++] = at;
    set_levels(n);
}

void rd_call_back(const struct rd_call_frame *frame) {
    const uint64_t *at = (const uint64_t *)frame - 1;
    for (uint32_t i = 0; rd_self && i < rd_call_levels(); i++)
        if (rd_self->called->level[i] == at)
            set_levels(i);
}
