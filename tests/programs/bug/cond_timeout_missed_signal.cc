// wait_for times out while the other thread holds the mutex and is about to notify.
// EXPECT: assertion
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static bool ready;

int main() {
    std::unique_lock<std::mutex> lock(mutex);
    std::thread t([] {
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
        cond.notify_one();
    });
    std::cv_status status = cond.wait_for(lock, std::chrono::seconds(1));
    assert(status == std::cv_status::no_timeout || !ready); /* BUG */
    lock.unlock();
    t.join();
}
