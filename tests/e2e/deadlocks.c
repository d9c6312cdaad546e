/* deadlocks.c - orders of locks, chosen by the first argument: some can become deadlocks, others only look so. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static int flag;

static void nested(pthread_mutex_t *outer, pthread_mutex_t *inner) {
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void *a_b(void *arg) {
    nested(&a, &b);
    return arg;
}

static void *b_a(void *arg) {
    nested(&b, &a);
    return arg;
}

static void *b_c(void *arg) {
    nested(&b, &c);
    return arg;
}

static void *c_a(void *arg) {
    nested(&c, &a);
    return arg;
}

/* ExitBlock's Figure 10: a alone first; as the figure is printed, b and a are not nested. */
static void *a_then_b_a(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    nested(&b, &a);
    return arg;
}

static void *as_printed(void *arg) {
    pthread_mutex_t *order[] = {&a, &b, &a};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(order[i]);
        pthread_mutex_unlock(order[i]);
    }
    return arg;
}

static void *gated_a_b(void *arg) {
    pthread_mutex_lock(&gate);
    nested(&a, &b);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *gated_b_a(void *arg) {
    pthread_mutex_lock(&gate);
    nested(&b, &a);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *a_b_tell(void *arg) {
    nested(&a, &b);
    pthread_mutex_lock(&gate);
    flag = 1;
    pthread_mutex_unlock(&gate);
    return arg;
}

/* Takes the two locks only when the other thread is done, which it learns from data. */
static void *b_a_when_told(void *arg) {
    pthread_mutex_lock(&gate);
    int told = flag;
    pthread_mutex_unlock(&gate);
    if (told)
        nested(&b, &a);
    return arg;
}

static void *read_a(void *arg) {
    pthread_rwlock_rdlock(&shared);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_rwlock_unlock(&shared);
    return arg;
}

static void *a_write(void *arg) {
    pthread_mutex_lock(&a);
    pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *a_read(void *arg) {
    pthread_mutex_lock(&a);
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
    pthread_mutex_unlock(&a);
    return arg;
}

static const struct {
    const char *name;
    void *(*run[3])(void *);
} modes[] = {
    {"figure-8", {a_b, b_a}},     {"figure-10", {a_b, a_then_b_a}}, {"printed", {a_b, as_printed}},
    {"three", {a_b, b_c, c_a}},   {"gate", {gated_a_b, gated_b_a}}, {"data", {a_b_tell, b_a_when_told}},
    {"write", {read_a, a_write}}, {"read", {read_a, a_read}},
};

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t t[3];
    if (strcmp(mode, "joined") == 0) { /* one thread after the other */
        pthread_create(&t[0], NULL, a_b, NULL);
        pthread_join(t[0], NULL);
        pthread_create(&t[1], NULL, b_a, NULL);
        pthread_join(t[1], NULL);
        return 0;
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].name) != 0)
            continue;
        for (int k = 0; k < 3 && modes[i].run[k]; k++)
            pthread_create(&t[k], NULL, modes[i].run[k], NULL);
        for (int k = 0; k < 3 && modes[i].run[k]; k++)
            pthread_join(t[k], NULL);
        return 0;
    }
    return 2;
}
