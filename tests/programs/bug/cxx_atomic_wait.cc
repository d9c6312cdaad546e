// Two threads wait, one is notified.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <atomic>
#include <thread>

static std::atomic<int> number{0};

int main() {
    std::thread a([] { number.wait(0); }), b([] { number.wait(0); }); /* BUG */
    for (int i = 0; i < 30; i++)
        std::this_thread::yield();
    number = 1;
    number.notify_one();
    a.join();
    b.join();
}
