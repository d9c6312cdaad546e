/*
 * mixtures.c - deadlocks that involve more than two mutexes, by the first argument: locks together with joins,
 * conditions, barriers, semaphores, pipes, once, spin locks and read-write locks; and similar programs in which no
 * deadlock can happen.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_spinlock_t spin;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s, t;
static pthread_t threads[3];
static int ends[2], told, gated;

static void lock(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void unlock(pthread_mutex_t *m) { pthread_mutex_unlock(m); }

static void nested(pthread_mutex_t *outer, pthread_mutex_t *inner) {
    if (gated)
        lock(&gate);
    lock(outer);
    lock(inner);
    unlock(inner);
    unlock(outer);
    if (gated)
        unlock(&gate);
}

static void *a_b(void *arg) { return nested(&a, &b), arg; }
static void *b_c(void *arg) { return nested(&b, &c), arg; }
static void *c_a(void *arg) { return nested(&c, &a), arg; }

/* joins */
static void *needs_a(void *arg) {
    lock(&a);
    unlock(&a);
    return arg;
}
static void *joins_with_a(void *arg) {
    lock(&a);
    pthread_join(threads[0], NULL);
    unlock(&a);
    return arg;
}
static void *join(int k, void *arg) { /* when all threads exist */
    lock(&gate);
    unlock(&gate);
    return pthread_join(threads[k], NULL), arg;
}
static void *joins_0(void *arg) { return join(0, arg); }
static void *joins_1(void *arg) { return join(1, arg); }
static void *joins_2(void *arg) { return join(2, arg); }

/* read-write locks */
static void *upgrades(void *arg) {
    if (gated)
        lock(&gate);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_wrlock(&shared);
    return arg;
}
static void *reads_again(void *arg) {
    pthread_rwlock_rdlock(&writers_first);
    pthread_rwlock_rdlock(&writers_first);
    pthread_rwlock_unlock(&writers_first);
    pthread_rwlock_unlock(&writers_first);
    return arg;
}
static void *writes(void *arg) {
    pthread_rwlock_wrlock(&writers_first);
    pthread_rwlock_unlock(&writers_first);
    return arg;
}

/* semaphores */
static void units(sem_t *first, sem_t *second) {
    if (gated)
        lock(&gate);
    sem_wait(first);
    sem_wait(second);
    sem_post(second);
    sem_post(first);
    if (gated)
        unlock(&gate);
}
static void *s_t(void *arg) { return units(&s, &t), arg; }
static void *t_s(void *arg) { return units(&t, &s), arg; }
static void *s_then_a(void *arg) {
    sem_wait(&s);
    needs_a(NULL);
    sem_post(&s);
    return arg;
}
static void *a_then_s(void *arg) {
    lock(&a);
    sem_wait(&s);
    sem_post(&s);
    unlock(&a);
    return arg;
}

/* barriers, conditions, pipes: objects without an owner */
static void *arrives_with_a(void *arg) {
    lock(&a);
    pthread_barrier_wait(&both);
    unlock(&a);
    return arg;
}
static void *arrives_after_a(void *arg) {
    needs_a(NULL);
    pthread_barrier_wait(&both);
    return arg;
}
static void *waits_with_a(void *arg) {
    lock(&a);
    lock(&b);
    while (!told)
        pthread_cond_wait(&ready, &b);
    unlock(&b);
    unlock(&a);
    return arg;
}
static void *tells_under_a(void *arg) {
    lock(&a);
    lock(&b);
    told = 1;
    pthread_cond_signal(&ready);
    unlock(&b);
    unlock(&a);
    return arg;
}
static void *reads_with_a(void *arg) {
    char x;
    lock(&a);
    (void)!read(ends[0], &x, 1);
    unlock(&a);
    return arg;
}
static void *writes_under_a(void *arg) {
    lock(&a);
    (void)!write(ends[1], "x", 1);
    unlock(&a);
    return arg;
}

/* once, and spin locks */
static void prepare(void) { needs_a(NULL); }
static void *begins(void *arg) { return pthread_once(&once, prepare), arg; }
static void *begins_with_a(void *arg) {
    lock(&a);
    pthread_once(&once, prepare);
    unlock(&a);
    return arg;
}
static void *spin_a(void *arg) {
    pthread_spin_lock(&spin);
    needs_a(NULL);
    pthread_spin_unlock(&spin);
    return arg;
}
static void *a_spin(void *arg) {
    lock(&a);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    unlock(&a);
    return arg;
}

static const struct {
    const char *name;
    void *(*run[3])(void *);
    int gated;
} modes[] = {
    {"three", {a_b, b_c, c_a}, 0},
    {"three-gated", {a_b, b_c, c_a}, 1},
    {"join-lock", {needs_a, joins_with_a}, 0},
    {"join-join", {joins_1, joins_0}, 0},
    {"join-ring", {joins_1, joins_2, joins_0}, 0},
    {"upgrade", {upgrades, upgrades}, 0},
    {"writer-first", {reads_again, writes}, 0},
    {"semaphores", {s_t, t_s}, 0},
    {"semaphores-gated", {s_t, t_s}, 1},
    {"semaphore-lock", {s_then_a, a_then_s}, 0},
    {"barrier-lock", {arrives_with_a, arrives_after_a}, 0},
    {"barrier-free", {arrives_after_a, arrives_after_a}, 0},
    {"condition-lock", {waits_with_a, tells_under_a}, 0},
    {"pipe-lock", {reads_with_a, writes_under_a}, 0},
    {"once-lock", {begins, begins_with_a}, 0},
    {"once-free", {begins, begins}, 0},
    {"spin-lock", {spin_a, a_spin}, 0},
};

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    sem_init(&s, 0, 1);
    sem_init(&t, 0, 1);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&both, NULL, 2);
    if (pipe(ends))
        return 2;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].name) != 0)
            continue;
        gated = modes[i].gated;
        int joins = strncmp(mode, "join-", 5) == 0;
        lock(&gate);
        for (int k = 0; k < 3 && modes[i].run[k]; k++)
            pthread_create(&threads[k], NULL, modes[i].run[k], NULL);
        unlock(&gate);
        for (int k = 0; k < 3 && modes[i].run[k] && !joins; k++)
            pthread_join(threads[k], NULL);
        if (joins)
            pthread_exit(NULL);
        return 0;
    }
    return 2;
}
