/*
 * Task scheduler: workers run tasks; a task that waits for a child runs it itself, unless another worker has it.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the task scheduler of the parallel library (futures, ParallelDo)
 * Size: WORKERS=2 CHILDREN=2 (the root task starts CHILDREN children and adds up their results)
 * Bug 1: a task is claimed by a test and a later store; a child runs twice (assertion) (1,1,2)
 * Bug 2: a worker looks for work without the lock under which it goes to sleep; a task waits (deadlock) (2,1,3)
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CHILDREN
#define CHILDREN 2
#endif

enum { ROOT, FIRST_CHILD, TASKS = FIRST_CHILD + CHILDREN };

static struct task {
    atomic_bool claimed;
    atomic_int runs;
    int result;
    sem_t done;
} tasks[TASKS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; // there is a task, or the end
    atomic_int queued;      // tasks[0 .. queued-1] were started; written under the lock
    bool stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static sem_t ready; // a worker has begun

static void run(struct task *task);

static bool claim(struct task *task) {
#if BUG == 1
    if (task->claimed) // BUG: another worker may claim the task between this line and the next but one
        return false;
    task->claimed = true;
    return true;
#else
    return !atomic_exchange(&task->claimed, true);
#endif
}

static void start(int count) {
    pthread_mutex_lock(&pool.lock);
    pool.queued += count;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
}

static int wait_for(struct task *task) {
    if (claim(task))
        run(task);
    sem_wait(&task->done);
    return task->result;
}

static void run(struct task *task) {
    int before = atomic_fetch_add(&task->runs, 1);
    assert(before == 0);
    if (task == &tasks[ROOT]) {
        start(CHILDREN);
        for (int i = 0; i < CHILDREN; i++)
            task->result += wait_for(&tasks[FIRST_CHILD + i]);
    } else {
        task->result = 1;
    }
    sem_post(&task->done);
}

// Sleeps until there is a task after the first seen ones; false at the end.
static bool sleep_until_work(int seen) {
    bool work = true;
#if BUG == 2
    if (pool.queued > seen) // BUG: a task that is started between this line and the wait wakes nobody
        return true;
    pthread_mutex_lock(&pool.lock);
    if (!pool.stopping)
        pthread_cond_wait(&pool.changed, &pool.lock);
#else
    pthread_mutex_lock(&pool.lock);
    while (pool.queued == seen && !pool.stopping)
        pthread_cond_wait(&pool.changed, &pool.lock);
#endif
    work = pool.queued > seen || !pool.stopping;
    pthread_mutex_unlock(&pool.lock);
    return work;
}

static void *worker(void *unused) {
    sem_post(&ready);
    int seen = 0;
    while (sleep_until_work(seen))
        for (int queued = pool.queued; seen < queued; seen++)
            if (claim(&tasks[seen]))
                run(&tasks[seen]);
    return unused;
}

int main(void) {
    pthread_t workers[WORKERS];
    sem_init(&ready, 0, 0);
    for (int i = 0; i < TASKS; i++)
        sem_init(&tasks[i].done, 0, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&ready);
    start(1);
    sem_wait(&tasks[ROOT].done);
    assert(tasks[ROOT].result == CHILDREN);
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
