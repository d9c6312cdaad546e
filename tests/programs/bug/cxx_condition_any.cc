// Two readers wait with a shared lock, and the change is announced to one.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any changed;
static bool ready;

static void reader() {
    std::shared_lock l(lock);
    changed.wait(l, [] { return ready; }); /* BUG */
}

int main() {
    std::thread a(reader), b(reader);
    {
        std::unique_lock l(lock);
        ready = true;
    }
    changed.notify_one();
    a.join();
    b.join();
}
