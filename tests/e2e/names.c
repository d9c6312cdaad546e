/* Variables on stacks, each changed by two threads without a lock: a case for each way in which one can be
 * declared. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct slot {
    int busy;
    struct {
        long low, high;
    } range;
};

struct job {
    pthread_mutex_t lock;
    struct slot slots[3];
    int *at;
};

static void *change(void *p) {
    *(int *)p += 1;
    return NULL;
}

static void *change_high(void *p) {
    struct job *j = p;
    pthread_mutex_lock(&j->lock);
    pthread_mutex_unlock(&j->lock);
    j->slots[2].range.high += 1;
    return NULL;
}

static void two(void *(*run)(void *), void *p) {
    pthread_t a, b;
    pthread_create(&a, NULL, run, p);
    pthread_create(&b, NULL, run, p);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void scalar(void) {
    int count = 0;
    two(change, &count);
}

static void array(void) {
    int table[5] = {0};
    two(change, &table[3]);
}

static void member(void) {
    struct job job;
    memset(&job, 0, sizeof job);
    pthread_mutex_init(&job.lock, NULL);
    two(change_high, &job);
}

static void block(int more) {
    if (more) {
        int first = 1;
        two(change, &first);
    } else {
        long other[2] = {0};
        two(change, &other[1]);
    }
}

static __attribute__((noinline)) void parameter(int given) { two(change, &given); }

static void *locked(void *p) {
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    *(int *)p += 1;
    pthread_mutex_unlock(&m);
    return NULL;
}

static inline __attribute__((always_inline)) void put_in(void) {
    int mine = 0;
    two(change, &mine);
}

static void inlined(void) {
    int outer = 0;
    two(locked, &outer);
    put_in();
}

static void *worker(void *arg) {
    int own = 0;
    two(change, &own);
    return arg;
}

static void thread(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
}

/* Two calls one after the other, with variables of different names in the same place, perhaps. */
static __attribute__((noinline)) void before(void) {
    int earlier = 0;
    two(locked, &earlier);
}
static __attribute__((noinline)) void after(void) {
    int later = 0;
    two(change, &later);
}

static void turns(void) {
    before();
    after();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"scalar", scalar},   {"array", array},   {"member", member},
             {"inlined", inlined}, {"thread", thread}, {"turns", turns}};

int main(int argc, char **argv) {
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    if (argc > 1 && strcmp(argv[1], "block") == 0)
        block(argc);
    if (argc > 1 && strcmp(argv[1], "else") == 0)
        block(argc - 2);
    if (argc > 1 && strcmp(argv[1], "parameter") == 0)
        parameter(argc);
    return 0;
}
