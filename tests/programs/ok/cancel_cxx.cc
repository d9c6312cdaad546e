// Cancellation unwinds: destructors run, catch (...) sees it and rethrows.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>

static std::mutex lock;
static sem_t ready, never;
static int destroyed, caught;

struct Guard {
    ~Guard() { destroyed++; }
};

static void *worker(void *arg) {
    std::lock_guard<std::mutex> held(lock);
    Guard outer;
    try {
        Guard inner;
        sem_post(&ready);
        sem_wait(&never);
    } catch (...) {
        caught++;
        throw;
    }
    return arg;
}

int main() {
    pthread_t t;
    void *result = nullptr;
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&t, nullptr, worker, nullptr);
    sem_wait(&ready);
    pthread_cancel(t);
    lock.lock();
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && destroyed == 2 && caught == 1);
    lock.unlock();
}
