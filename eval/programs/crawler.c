/*
 * Web crawler: workers take pages from a queue and fetch them; a reader cancels a fetch, and reads a result.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "hedc" (a meta search: tasks that can be cancelled) and "weblech" (a queue of pages)
 * Size: WORKERS=2 PAGES=2
 * Bug 1: cancel tests whether a worker has the task, and uses the pointer after it was cleared (crash) (2,1,2)
 * Bug 2: a worker tests whether the queue is empty, and takes a page in a second step (assertion) (1,1,2)
 * Bug 3: a task says that it is done before its result is there (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef PAGES
#define PAGES 2
#endif

struct worker {
    atomic_bool interrupted;
};

struct task {
    pthread_mutex_t lock;
    struct worker *_Atomic worker; /* that runs the task now, or NULL */
    atomic_bool done;
    atomic_int result;
};

static struct worker worker[WORKERS];
static struct task task[PAGES];
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static int queued = PAGES; /* the pages 0 to queued - 1 are still to be fetched */
static atomic_int fetched;

static int fetch(const struct worker *w, int page) { return w->interrupted ? -1 : 10 + page; }

static void run_task(struct worker *w, int page) {
    struct task *t = &task[page];
    pthread_mutex_lock(&t->lock);
    t->worker = w;
    pthread_mutex_unlock(&t->lock);
    int result = fetch(w, page);
#if BUG == 3
    t->done = true; /* seeded bug: the reader finds no result */
    t->result = result;
#else
    t->result = result;
    t->done = true;
#endif
    pthread_mutex_lock(&t->lock);
    t->worker = NULL;
    pthread_mutex_unlock(&t->lock);
    w->interrupted = false;
    fetched++;
}

static void cancel(struct task *t) {
    const bool locks = BUG != 1; /* seeded bug: the worker may end the task between test and use */
    if (locks) {
        pthread_mutex_lock(&t->lock);
    }
    if (t->worker) {
        struct worker *w = t->worker;
        w->interrupted = true;
    }
    if (locks) {
        pthread_mutex_unlock(&t->lock);
    }
}

/* Returns the next page, or -1 if there is none. */
static int next_page(void) {
    pthread_mutex_lock(&queue_lock);
    bool empty = queued == 0;
#if BUG == 2
    pthread_mutex_unlock(&queue_lock); /* seeded bug: another worker may take the last page here */
    pthread_mutex_lock(&queue_lock);
#endif
    if (!empty) {
        queued--;
        assert(queued >= 0);
    }
    int page = empty ? -1 : queued;
    pthread_mutex_unlock(&queue_lock);
    return page;
}

static void *work(void *arg) {
    for (int page = next_page(); page >= 0; page = next_page()) {
        run_task(arg, page);
    }
    return NULL;
}

static void *read_results(void *arg) {
    cancel(&task[0]);
    if (task[0].done) {
        assert(task[0].result != 0); /* the page, or -1 after the fetch was cancelled */
    }
    return arg;
}

int main(void) {
    pthread_t thread[WORKERS], reader;
    for (int i = 0; i < PAGES; i++) {
        pthread_mutex_init(&task[i].lock, NULL);
    }
    pthread_create(&reader, NULL, read_results, NULL);
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&thread[i], NULL, work, &worker[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_join(reader, NULL);
    assert(fetched == PAGES);
    return 0;
}
