// After a time limit the program uses the result as if it were there.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// FLAGS: -std=c++20
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

static int result;

int main() {
    std::promise<void> done;
    auto f = done.get_future();
    std::thread t([&] {
        result = 42;
        done.set_value();
    });
    f.wait_for(std::chrono::seconds(10));
    assert(result == 42); /* BUG */
    t.join();
}
