// The wait ignores the stop token: the request to stop wakes no thread, and the jthread's destructor waits for ever.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;

int main() {
    std::jthread t([](std::stop_token stop) {
        std::unique_lock l(lock);
        changed.wait(l, [&] { return stop.stop_requested(); }); /* BUG */
    });
    std::this_thread::yield();
}
