// C++20: a slot that is handed over by a waiting atomic.
// RADDLE: -s icb:c=1 --require-complete
// EXPECT: none
// COMPILE: gcc
// MODE: hooks
// FLAGS: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> full{0};
static int slot;

static void produce() {
    for (int i = 1; i <= 2; i++) {
        full.wait(1, std::memory_order_acquire); /* BUG */
        slot = i;
        full.store(1, std::memory_order_release);
        full.notify_one();
    }
}

static void consume() {
    for (int i = 1; i <= 2; i++) {
        full.wait(0, std::memory_order_acquire);
        assert(slot == i);
        full.store(0, std::memory_order_release);
#ifndef BROKEN
        full.notify_one();
#endif
    }
}

int main() {
    std::thread a(produce), b(consume);
    a.join();
    b.join();
}
