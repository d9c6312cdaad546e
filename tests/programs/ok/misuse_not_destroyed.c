// The memory of a destroyed object may hold a new object: initialised, assigned, zeroed, on another stack frame, on the
// heap, or of another kind. A thread that was signalled or released before the destruction does not use the object.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static union {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    sem_t sem;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
} memory;

static void use_mutex(pthread_mutex_t *m) {
    assert(pthread_mutex_lock(m) == 0);
    assert(pthread_mutex_unlock(m) == 0);
    assert(pthread_mutex_destroy(m) == 0);
}

static void on_the_stack(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    use_mutex(&m);
    assert(pthread_cond_signal(&c) == 0 && pthread_cond_destroy(&c) == 0);
    assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_destroy(&l) == 0);
}

static void one_after_the_other(void) {
    memory.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    use_mutex(&memory.mutex);
    memset(&memory, 0, sizeof memory);
    use_mutex(&memory.mutex);
    memory.cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    assert(pthread_cond_broadcast(&memory.cond) == 0 && pthread_cond_destroy(&memory.cond) == 0);
    memory.rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    assert(pthread_rwlock_wrlock(&memory.rwlock) == 0 && pthread_rwlock_unlock(&memory.rwlock) == 0);
    assert(pthread_rwlock_destroy(&memory.rwlock) == 0);
    for (int i = 0; i < 2; i++) {
        assert(sem_init(&memory.sem, 0, 1) == 0 && sem_wait(&memory.sem) == 0 && sem_destroy(&memory.sem) == 0);
        assert(pthread_spin_init(&memory.spin, 0) == 0 && pthread_spin_lock(&memory.spin) == 0);
        assert(pthread_spin_unlock(&memory.spin) == 0 && pthread_spin_destroy(&memory.spin) == 0);
        assert(pthread_barrier_init(&memory.barrier, NULL, 1) == 0);
        assert(pthread_barrier_wait(&memory.barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
        assert(pthread_barrier_destroy(&memory.barrier) == 0);
    }
}

static void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        on_the_stack();
        pthread_mutex_t *m = calloc(1, sizeof *m);
        use_mutex(m);
        free(m);
    }
    return arg;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *go;
static int waiting;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_wait(go, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    go = malloc(sizeof *go);
    pthread_cond_init(go, NULL);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, waiter, NULL);
    one_after_the_other();
    pthread_mutex_lock(&lock);
    if (waiting) {
        pthread_cond_signal(go);
        pthread_cond_destroy(go); /* the waiter was signalled, and does not need the condition any more */
        pthread_mutex_unlock(&lock);
        pthread_join(t[1], NULL);
    } else {
        pthread_mutex_unlock(&lock);
        _Exit(0);
    }
    free(go);
    pthread_join(t[0], NULL);
    return 0;
}
