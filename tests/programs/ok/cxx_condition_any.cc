// std::condition_variable_any with a shared lock and with a time limit.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
// FLAGS: -std=c++20
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any changed;
static bool ready;

static void reader() {
    std::shared_lock l(lock);
    changed.wait(l, [] { return ready; });
    assert(ready);
}

static void patient() {
    std::unique_lock l(lock);
    while (!changed.wait_for(l, std::chrono::hours(1), [] { return ready; })) {
    }
}

int main() {
    std::thread a(reader), b(reader), c(patient);
    {
        std::unique_lock l(lock);
        ready = true;
    }
    changed.notify_all();
    a.join();
    b.join();
    c.join();
}
