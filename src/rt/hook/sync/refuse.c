/*
 * refuse.c - primitives without a model. They would block the one kernel thread that runs all threads of the
 * program, so a program that calls one while it has several threads ends with a message instead of hanging. Before
 * the second thread exists they are harmless and go to libc. seccomp is refused at any time: its filter would also
 * apply to the system calls of the runtime.
 */
#include "rt/hook/hook.h"

#include "base/text.h"

#include <dlfcn.h>
#include <linux/prctl.h>

typedef long (*any)(long, long, long, long, long, long);

static long pass_or_refuse(const char *name, const char *instead, void **real, long a, long b, long c, long d,
                           long e, long f) {
    if (rd_hook_on()) {
        char what[256];
        struct rd_text t;
        rd_text_init(&t, what, sizeof what);
        rd_text_str(&t, "the program calls ");
        rd_text_str(&t, name);
        rd_text_str(&t, "() while it has several threads, which raddle cannot control; test it with ");
        rd_text_str(&t, instead);
        rd_text_str(&t, " in its place");
        rd_rt_enter();
        rd_rt_refuse(what);
    }
    if (!*real)
        *real = dlsym(RTLD_NEXT, name);
    return ((any)*real)(a, b, c, d, e, f);
}

/* The C names differ from the symbols, because the headers declare the symbols with other types. */
#define REFUSE(name, instead)                                                                    \
    RD_EXPORT long refuse_##name(long a, long b, long c, long d, long e, long f) __asm__(#name); \
    RD_EXPORT long refuse_##name(long a, long b, long c, long d, long e, long f) {               \
        static void *real;                                                                       \
        return pass_or_refuse(#name, instead, &real, a, b, c, d, e, f);                          \
    }

REFUSE(mq_notify, "mq_receive() in a thread")
REFUSE(msgrcv, "a pipe or a socketpair")
REFUSE(msgsnd, "a pipe or a socketpair")
REFUSE(semop, "sem_wait() and sem_post()")
REFUSE(semtimedop, "sem_timedwait() and sem_post()")
REFUSE(aio_suspend, "a read() or write() in a thread")

void rd_hook_no_seccomp(bool is_one) {
    if (!is_one)
        return;
    rd_rt_enter();
    rd_rt_refuse(
        "the program restricts the system calls that it may make (seccomp), and raddle's are among them; test "
        "it without");
}

RD_EXPORT long refuse_prctl(long what, long a, long b, long c, long d) __asm__("prctl");
RD_EXPORT long refuse_prctl(long what, long a, long b, long c, long d) {
    static void *real;
    if (rd_rt_active())
        rd_hook_no_seccomp((int)what == PR_SET_SECCOMP);
    if (rd_rt_active() && rd_hook_prctl((int)what, a))
        return 0;
    if (!real)
        real = dlsym(RTLD_NEXT, "prctl");
    return ((any)real)(what, a, b, c, d, 0);
}
