// Promises, tasks and asynchronous calls: values, exceptions, several waiting threads, time limits.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

static void promises() {
    std::promise<int> p;
    std::shared_future<int> f = p.get_future().share();
    std::thread a([f] { assert(f.get() == 42); }), b([f] { assert(f.get() == 42); });
    if (f.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout)
        assert(f.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
    p.set_value(42);
    assert(f.wait_for(std::chrono::hours(1)) == std::future_status::ready);
    a.join();
    b.join();
}

static void tasks() {
    std::packaged_task<int(int)> task([](int x) {
        if (x < 0)
            throw std::runtime_error("negative");
        return x + 1;
    });
    auto result = task.get_future();
    std::thread t(std::move(task), -1);
    bool thrown = false;
    try {
        result.get();
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    assert(thrown);
    t.join();
}

int main() {
    auto late = std::async(std::launch::async, [] { return 1; });
    auto lazy = std::async(std::launch::deferred, [] { return 2; });
    promises();
    tasks();
    assert(late.get() + lazy.get() == 3);
    std::future<void> broken;
    {
        std::promise<void> gone;
        broken = gone.get_future();
    }
    try {
        broken.get();
        assert(false);
    } catch (const std::future_error &e) {
        assert(e.code() == std::future_errc::broken_promise);
    }
}
