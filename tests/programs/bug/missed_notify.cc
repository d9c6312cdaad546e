// The flag is set and the notification sent without the lock, between the waiter's check and its wait.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// MODE: hooks
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<bool> ready{false};

static void waiter() {
    std::unique_lock<std::mutex> l(lock);
    while (!ready)
        changed.wait(l); /* BUG */
}

static void notifier() {
    ready = true;
    changed.notify_all();
}

int main() {
    std::thread a(waiter), b(notifier);
    b.join();
    a.join();
}
