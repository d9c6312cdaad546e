// std::atomic: a lock-free maximum, a flag, a pointer, in two threads.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest{0}, sum{0};
static std::atomic_flag taken = ATOMIC_FLAG_INIT;
static std::atomic<const char *> winner{nullptr};

static void offer(int value, const char *name) {
    int seen = highest.load(std::memory_order_relaxed);
    while (seen < value && !highest.compare_exchange_weak(seen, value))
        ;
    sum.fetch_add(value, std::memory_order_relaxed);
    if (!taken.test_and_set(std::memory_order_acq_rel))
        assert(winner.exchange(name) == nullptr);
}

int main() {
    std::thread a(offer, 5, "a"), b(offer, 7, "b");
    a.join();
    b.join();
    assert(highest == 7 && sum == 12);
    assert(*winner.load() == 'a' || *winner.load() == 'b');
}
