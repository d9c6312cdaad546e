// std::jthread: a request to stop, callbacks, and a wait that ends with it.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;
static std::atomic<int> called{0}, ended{0};

int main() {
    {
        std::jthread waits([](std::stop_token stop) {
            std::unique_lock l(lock);
            bool ready = changed.wait(l, stop, [] { return false; });
            assert(!ready && stop.stop_requested());
            ended++;
        });
        std::jthread polls([](std::stop_token stop) {
            while (!stop.stop_requested())
                std::this_thread::yield();
            ended++;
        });
        std::stop_callback callback(polls.get_stop_token(), [] { called++; });
        std::thread asks([&] { polls.request_stop(); });
        polls.request_stop();
        asks.join();
        assert(called == 1);
    }
    assert(ended == 2);
}
