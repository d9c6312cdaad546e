/*
 * selective.c - a program with so many accesses that code which does not touch what is tracked is switched off.
 *
 *   pointer   one place in the code adds to `x` or to `other`, by what another thread has done before; x is also
 *             added to without a lock
 *   locked    the same with a lock
 *   spin      a thread waits in a loop for a variable that is not tracked
 *   sealed    the text of the program cannot be made writable
 *   quiet     none of that
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#ifdef SEALED
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { ROUNDS = 3000, CELLS = 128 };

static long one[CELLS], two[CELLS]; /* each of one thread */
static int x, other, took_x;
static volatile int go;
static atomic_int flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *how;

static int is(const char *what) { return strcmp(how, what) == 0; }

static void compute(long *to) {
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CELLS; i++)
            to[i] += i ^ round;
}

static void add(int *to) {
    if (is("locked"))
        pthread_mutex_lock(&lock);
    *to += 1;
    if (is("locked"))
        pthread_mutex_unlock(&lock);
}

static void *by_pointer(void *arg) {
    compute(one);
    if (is("spin"))
        while (!go) {
        }
    took_x = (is("pointer") || is("locked")) && atomic_load(&flag);
    add(took_x ? &x : &other);
    return arg;
}

static void *by_name(void *arg) {
    compute(two);
    go = 1;
    atomic_store(&flag, 1);
    if (is("locked"))
        pthread_mutex_lock(&lock);
    x++;
    if (is("locked"))
        pthread_mutex_unlock(&lock);
    return arg;
}

#ifdef SEALED
/* From now on nothing can be made executable. */
static void seal(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    assert(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}
#endif

int main(int argc, char **argv) {
    pthread_t a, b;
    how = argc > 1 ? argv[1] : "quiet";
#ifdef SEALED
    seal();
#endif
    pthread_create(&a, NULL, by_pointer, NULL);
    pthread_create(&b, NULL, by_name, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 1 + took_x);
    return 0;
}
