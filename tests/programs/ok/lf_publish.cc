// C++20: a snapshot that is replaced as a whole; readers take the current one, and old ones are kept until the end.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// COMPILE: gcc
// MODE: hooks
// FLAGS: -std=c++20
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BROKEN
static constexpr auto publish = std::memory_order::relaxed;
#else
static constexpr auto publish = std::memory_order::release;
#endif

using snapshot = std::array<int, 2>;
static snapshot made[3];
static std::atomic<const snapshot *> current{&made[0]};

static void replace(int i) {
    made[i] = {i, i}; /* BUG */
    const snapshot *old = current.load(std::memory_order::relaxed);
    while (!current.compare_exchange_weak(old, &made[i], publish, std::memory_order::relaxed))
        ;
}

static void look() {
    const snapshot *s = current.load(std::memory_order::acquire);
    int a = (*s)[0], b = (*s)[1]; /* BUG */
    assert(a == b);
}

int main() {
    std::thread a(replace, 1), b(replace, 2), c(look);
    a.join();
    b.join();
    c.join();
}
