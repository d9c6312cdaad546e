/*
 * chances.c - small programs of the literature with two real threads, one of which is main. Besides the operations
 * of the two there are only one creation, one start and one join, so that the probability of each bug can be
 * computed by enumerating all that a sampler may draw. The first argument chooses the program.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static volatile int x, y;

static void write_far(void) {
    y = 1;
    y = 2;
    y = 3;
    x = 4;
}
static void *read_once(void *arg) {
    int a = x;
    assert(a != 4);
    return arg;
}
static void write_once(void) { x = 1; }
static void write_twice(void) {
    x = 1;
    x = 0;
}
static void *read_twice(void *arg) {
    int a = x, b = x;
    assert(a == b);
    return arg;
}
static void write_both(void) {
    x = 1;
    y = 1;
    y = 0;
}
static void *read_both(void *arg) {
    int a = x, b = x, c = y;
    assert(a == b || c != 1);
    return arg;
}

static const struct {
    const char *name;
    void *(*reader)(void *);
    void (*writer)(void);
} programs[] = {
    {"rapos1", read_once, write_far},
    {"rank2", read_twice, write_once},
    {"rank3", read_twice, write_twice},
    {"rank4", read_both, write_both},
};

/* Takes the thread's number from the stack, so that reading it is no operation of the program. */
__attribute__((noinline, no_sanitize("thread"))) static void join(const pthread_t *t) { pthread_join(*t, NULL); }

int main(int argc, char **argv) {
    unsigned i = 0;
    while (argc > 1 && i + 1 < sizeof programs / sizeof *programs && strcmp(argv[1], programs[i].name) != 0)
        i++;
    void (*writer)(void) = programs[i].writer;
    pthread_t t;
    pthread_create(&t, NULL, programs[i].reader, NULL);
    writer();
    join(&t);
    return 0;
}
