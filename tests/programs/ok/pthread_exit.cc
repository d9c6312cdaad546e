// pthread_exit from nested C++ frames runs every destructor, once, and passes through catch (...).
// RADDLE: -s random --seed 2 -n 200
// EXPECT: none
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <sched.h>

static std::atomic<int> alive, passed;

struct Object {
    Object() { alive++; }
    ~Object() {
        sched_yield();
        alive--;
    }
};

static int nested(int n, void *result) {
    Object o;
    try {
        if (n == 0)
            pthread_exit(result);
        return n < 0 ? n : nested(n - 1, result);
    } catch (...) {
        passed++;
        throw; // the exit goes on
    }
}

static void *worker(void *arg) {
    Object o;
    nested(3, arg);
    return nullptr;
}

int main() {
    int a = 0, b = 0;
    pthread_t t[2];
    void *ra, *rb;
    pthread_create(&t[0], nullptr, worker, &a);
    pthread_create(&t[1], nullptr, worker, &b);
    pthread_join(t[0], &ra);
    pthread_join(t[1], &rb);
    assert(ra == &a && rb == &b);
    assert(alive == 0 && passed == 8);
}
