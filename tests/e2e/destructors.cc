// A library with a worker thread that the first call starts. BY chooses where the thread is ended: in a destructor
// function of the library, or in the destructor of a static object. BUG chooses a bug: none, `silent` (the worker
// is not told to stop), `early` (the worker's result is read before it is joined).
#include <assert.h>
#include <pthread.h>
#include <string.h>

namespace {
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t go = PTHREAD_COND_INITIALIZER;
pthread_t worker;
bool started, done;
int jobs, ran;

void *work(void *arg) {
    pthread_mutex_lock(&lock);
    while (!done || ran < jobs) {
        while (!done && ran == jobs)
            pthread_cond_wait(&go, &lock);
        if (ran < jobs)
            ran++;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

void stop() {
    if (!started)
        return;
    pthread_mutex_lock(&lock);
    done = true;
    if (strcmp(BUG, "silent") != 0)
        pthread_cond_signal(&go);
    if (strcmp(BUG, "early") == 0)
        assert(ran == jobs);
    pthread_mutex_unlock(&lock);
    int error = pthread_join(worker, nullptr);
    assert(error == 0);
    assert(ran == jobs);
    started = false;
}

#ifdef BY_OBJECT
struct Pool {
    ~Pool() { stop(); }
} pool;
#else
__attribute__((destructor)) void end() { stop(); }
#endif
} // namespace

extern "C" void job() {
    pthread_mutex_lock(&lock);
    jobs++;
    if (!started) {
        started = true;
        pthread_create(&worker, nullptr, work, nullptr);
    }
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
}
