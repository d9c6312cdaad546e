/*
 * jump.c - sigsetjmp and siglongjmp, as far as they keep the mask of signals: a thread's mask is in the model, and
 * libc's own would keep the kernel's. It is noted in the part of the buffer that the kernel does not use.
 */
#include "rt/hook/hook.h"

#include <setjmp.h>
#include <signal.h>

enum { MASK = 1, MARK = 2 }; /* words of the saved set; the kernel writes only the first */
static const unsigned long mark = 0x7261646d61736bul;

RD_HIDDEN void *rd_jump_note(struct __jmp_buf_tag *to, int with_mask);

/* Called by jump_*.S; returns libc's own. */
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
/* Of programs that are compiled with -D_FORTIFY_SOURCE; that it jumps up the stack is their compiler's concern. */
RD_API(_Noreturn void, __longjmp_chk, struct __jmp_buf_tag *to, int value) { jump(to, value, RD_PC()); }
