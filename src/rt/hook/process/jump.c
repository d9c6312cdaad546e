/*
 * jump.c - sigsetjmp and siglongjmp, as far as they save the signal mask: a thread's mask is in the model, and libc
 * would save the kernel thread's. The hook notes the mask in a part of the buffer that the kernel does not
 * write.
 */
#include "rt/hook/hook.h"

#include <setjmp.h>
#include <signal.h>

enum { MASK = 1, MARK = 2 }; /* words of __saved_mask, of which the kernel writes only word 0 */
static const unsigned long mark = 0x7261646d61736bul; /* in word MARK: word MASK is a mask of the model */

static_assert(RD_COUNT(((struct __jmp_buf_tag *)0)->__saved_mask.__val) > MARK, "the buffer has these words");

RD_HIDDEN void *rd_jump_note(struct __jmp_buf_tag *to, int with_mask);

/* Called by jump_*.S; returns libc's __sigsetjmp, to which the assembly jumps. */
void *rd_jump_note(struct __jmp_buf_tag *to, int with_mask) {
    bool known = with_mask && rd_hook_on();
    if (with_mask)
        to->__saved_mask.__val[MARK] = known ? mark : 0;
    if (known)
        to->__saved_mask.__val[MASK] = rd_rt.engine.world.threads[rd_self->tid].signals_off;
    return rd_real_get(&rd_real.__sigsetjmp);
}

static _Noreturn void jump(const struct __jmp_buf_tag *to, int value, uint64_t pc) {
    struct __jmp_buf_tag without = *to;
    if (to->__mask_was_saved && to->__saved_mask.__val[MARK] == mark && rd_hook_on()) {
        rd_hook_mask_back(to->__saved_mask.__val[MASK], pc);
        without.__mask_was_saved = 0;
    }
    RD_REAL(siglongjmp)(&without, value);
    __builtin_unreachable();
}

RD_EXPORT _Noreturn void siglongjmp(sigjmp_buf to, int value) { jump(to, value, RD_PC()); }
/*
 * For programs that are compiled with -D_FORTIFY_SOURCE. libc's check that the jump goes up the stack is left out.
 */
RD_API(_Noreturn void, __longjmp_chk, struct __jmp_buf_tag *to, int value) { jump(to, value, RD_PC()); }
