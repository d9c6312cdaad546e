/*
 * selective.c - a program with so many accesses that code that does not touch a tracked variable is switched off.
 *
 *   pointer   one place in the code adds to `x` or to `other`, depending on the other thread; another place adds to
 * x without a lock locked    the same with a lock spin      a thread waits in a loop for a variable that is not
 * tracked sealed    the text of the program cannot be made writable quiet     none of these
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#ifdef SEALED
#include <sys/prctl.h>
#endif

enum { ROUNDS = 3000, CELLS = 128 };

static long one[CELLS], two[CELLS]; /* each used by one thread */
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
/* Forbids from now on that memory becomes executable. */
static void seal(void) {
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 }; /* Linux 6.3 or later */
    assert(prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) == 0);
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
