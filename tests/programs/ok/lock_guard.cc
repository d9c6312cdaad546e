// std::mutex with guards; an exception unlocks.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int counter;

static void add(int n) {
    for (int i = 0; i < n; i++) {
        try {
            std::lock_guard<std::mutex> guard(lock);
            counter++;
            if (i % 2)
                throw std::runtime_error("odd");
        } catch (const std::runtime_error &) {
            std::unique_lock<std::mutex> maybe(lock, std::try_to_lock);
            if (maybe)
                assert(!lock.try_lock()); // not even for the owner
        }
    }
}

int main() {
    std::thread a(add, 3), b(add, 2);
    a.join();
    b.join();
    assert(counter == 5);
}
