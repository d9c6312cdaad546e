// std::counting_semaphore and std::binary_semaphore, with tries and time limits. Few executions, since the library of
// gcc 12 can sleep for ever here (bug/futex_old_value.c shows how; a run without options finds it).
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <atomic>
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> seats(2);
static std::binary_semaphore done(0);
static std::atomic<int> inside{0};

static void guest() {
    seats.acquire();
    assert(++inside <= 2);
    inside--;
    seats.release();
}

int main() {
    std::thread a(guest), b(guest), c(guest);
    std::thread d([] { done.release(); });
    if (!done.try_acquire_for(std::chrono::milliseconds(1)))
        done.acquire();
    a.join();
    b.join();
    c.join();
    d.join();
    assert(!done.try_acquire() && seats.try_acquire() && seats.try_acquire() && !seats.try_acquire());
}
