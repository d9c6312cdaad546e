// std::atomic: wait and notify, on an int, on a flag, on a type that is no word of the kernel's.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> number{0};
static std::atomic_flag flag;
static std::atomic<long> large{0};
static std::atomic<bool> small{false};

static void waiter() {
    number.wait(0);
    assert(number == 1);
    flag.wait(false);
    assert(flag.test());
    large.wait(0);
    assert(large == 1L << 40);
    small.wait(false);
    assert(small);
}

int main() {
    std::thread a(waiter), b(waiter);
    number = 1;
    number.notify_all();
    flag.test_and_set();
    flag.notify_all();
    large = 1L << 40;
    large.notify_all();
    small = true;
    small.notify_all();
    a.join();
    b.join();
}
