/*
 * literature.c - the small programs of the literature as real threads. The first argument chooses the program, the
 * second its size. The programs assert no condition: the test compares the number of classes, which does not depend
 * on the steps that create and join the threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };
typedef void body(int self, int n);

static volatile int x, y, cell[MOST + 1];
static int counter, other;
static pthread_mutex_t lock[MOST];
static int stopping, pending = 1, stopped, event;
static int size;
static body *code[MOST];
static volatile int sink;

static int add(int *to, int by) { return __atomic_fetch_add(to, by, __ATOMIC_SEQ_CST); }
static int get(const int *from) { return __atomic_load_n(from, __ATOMIC_SEQ_CST); }
static void set(int *to, int value) { __atomic_store_n(to, value, __ATOMIC_SEQ_CST); }

static void write_own(int self, int n) {
    for (int i = 0; i < n; i++)
        cell[self] = i + 1;
}
static void write_shared(int self, int n) {
    for (int i = 0; i < n; i++)
        x = 10 * self + i + 1;
}
static void rapos_writer(int self, int n) {
    (void)self, (void)n;
    y = 1;
    y = 2;
    y = 3;
    x = 4;
}
static void write_x(int self, int n) { (void)self, (void)n, x = 1; }
static void read_x(int self, int n) { (void)self, (void)n, (void)x; }
static void read_x_twice(int self, int n) { (void)self, (void)n, (void)x, (void)x; }
static void flip_x(int self, int n) {
    (void)self, (void)n;
    x = 1;
    x = 0;
}
static void rank4_reader(int self, int n) { (void)self, (void)n, (void)x, (void)x, (void)y; }
static void rank4_writer(int self, int n) {
    (void)self, (void)n;
    x = 1;
    y = 1;
    y = 0;
}
static void increment(int self, int n) { (void)self, (void)n, add(&counter, 1); }
static void increment_other(int self, int n) { (void)self, (void)n, add(&other, 1); }
static void count(int self, int n) { (void)self, (void)n, get(&counter); }
static void count_twice(int self, int n) { (void)self, (void)n, get(&counter), get(&counter); }
static void count_both_twice(int self, int n) {
    (void)self, (void)n;
    get(&counter), get(&counter);
    get(&other), get(&other);
}
static void allocate(int self, int n) {
    (void)self, (void)n;
    if (x)
        return;
    (void)x;
    x = 1;
    x = 0;
}
static void split_sync(int self, int n) {
    (void)self, (void)n;
    pthread_mutex_lock(&lock[0]);
    int seen = x;
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_lock(&lock[0]);
    (void)x;
    x = seen + 1;
    pthread_mutex_unlock(&lock[0]);
}
static void lost_update(int self, int n) { (void)self, (void)n, x = x + 1; }
static void both_forks(int self, int n) {
    pthread_mutex_t *first = &lock[self], *second = &lock[(self + 1) % n];
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void search_zero(int self, int n) {
    (void)self;
    for (int i = n; i >= 0; i--)
        if (cell[i] == 0)
            return;
}
static void fill(int self, int n) {
    (void)n;
    int before = cell[self - 1];
    cell[self] = before + 1;
}
static void ring(int self, int n) {
    cell[self] = 1;
    (void)cell[(self + 1) % n];
}
static void setter(int self, int n) {
    (void)self, (void)n;
    x = 1;
    y = -1;
}
static void checker(int self, int n) { (void)self, (void)n, (void)x, (void)y; }
static void lazy_checker(int self, int n) {
    (void)self, (void)n;
    if (x == 0 && y == 0)
        return;
    if (x == 1)
        sink = y; /* a variable of this thread alone */
}
static void stages(int self, int n) {
    (void)self, (void)n;
    pthread_mutex_lock(&lock[0]);
    x = 1;
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_lock(&lock[1]);
    y = 2;
    pthread_mutex_unlock(&lock[1]);
}
static void stages_reader(int self, int n) {
    (void)self, (void)n;
    pthread_mutex_lock(&lock[0]);
    int seen = x;
    pthread_mutex_unlock(&lock[0]);
    if (!seen)
        return;
    pthread_mutex_lock(&lock[1]);
    (void)y;
    pthread_mutex_unlock(&lock[1]);
}
static void sections(int self, int n) {
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock[0]);
        cell[self]++;
        pthread_mutex_unlock(&lock[0]);
    }
}
static void adder(int self, int n) {
    (void)self, (void)n;
    if (get(&stopping))
        return;
    add(&pending, 1);
    get(&stopped);
    if (add(&pending, -1) == 1)
        set(&event, 1);
}
static void stopper(int self, int n) {
    (void)self, (void)n;
    set(&stopping, 1);
    if (add(&pending, -1) == 1)
        set(&event, 1);
    if (get(&event))
        set(&stopped, 1);
}
static void write_y_read_x(int self, int n) {
    (void)self, (void)n;
    y = 1;
    (void)x;
}

/*
 * `first` and `last` are run by one thread each, `rest` by `threads` threads (0: as many as the size says, -1: one
 * more).
 */
static const struct {
    const char *name;
    int threads;
    body *first, *rest, *last;
} programs[] = {
    {"independent2", 2, NULL, write_own, NULL},
    {"independent3", 3, NULL, write_own, NULL},
    {"conflict2", 2, NULL, write_shared, NULL},
    {"rapos1", 2, rapos_writer, NULL, read_x},
    {"rank1", 2, count, NULL, increment},
    {"rank2", 2, count_twice, NULL, increment},
    {"rank3", 2, read_x_twice, NULL, flip_x},
    {"rank4", 2, rank4_reader, NULL, rank4_writer},
    {"rank8", 3, NULL, increment, count},
    {"rank9", 3, count_twice, increment, NULL},
    {"rank10", 3, count_both_twice, increment, increment_other},
    {"rank12", 2, NULL, allocate, NULL},
    {"splitsync", 2, NULL, split_sync, NULL},
    {"lostupdate", 2, NULL, lost_update, NULL},
    {"philosophers", 0, NULL, both_forks, NULL},
    {"readers", -1, write_x, read_x, NULL},
    {"lastzero", -1, search_zero, fill, NULL},
    {"ring", 0, NULL, ring, NULL},
    {"reorder", -1, NULL, setter, checker},
    {"reorder_sct", -1, NULL, setter, lazy_checker},
    {"twostage", -1, NULL, stages, stages_reader},
    {"critical2", 2, NULL, sections, NULL},
    {"critical3", 3, NULL, sections, NULL},
    {"bluetooth", 2, adder, NULL, stopper},
    {"hidden", 3, write_x, write_y_read_x, read_x},
};

static void *run(void *arg) {
    int self = (int)(long)arg;
    code[self](self, size);
    return NULL;
}

int main(int argc, char **argv) {
    size = argc > 2 ? atoi(argv[2]) : 2;
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (argc < 2 || strcmp(argv[1], programs[i].name) != 0)
            continue;
        int threads = programs[i].threads > 0 ? programs[i].threads : size - programs[i].threads;
        pthread_t t[MOST];
        for (int k = 0; k < threads; k++) {
            code[k] = programs[i].rest;
            if (k == 0 && programs[i].first)
                code[k] = programs[i].first;
            if (k == threads - 1 && programs[i].last)
                code[k] = programs[i].last;
        }
        for (long k = 0; k < threads; k++)
            pthread_create(&t[k], NULL, run, (void *)k);
        for (int k = 0; k < threads; k++)
            pthread_join(t[k], NULL);
        return 0;
    }
    fprintf(stderr, "no such program\n");
    return 1;
}
