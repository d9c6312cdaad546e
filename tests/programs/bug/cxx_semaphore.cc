// A thread that finds no work ends without releasing its unit of the semaphore.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <atomic>
#include <semaphore>
#include <thread>

static std::counting_semaphore<1> seats(1);
static std::atomic<int> work{1};

static void guest() {
    seats.acquire(); /* BUG */
    if (work.exchange(0) == 0)
        return;
    seats.release();
}

int main() {
    std::thread a(guest), b(guest), c(guest);
    a.join();
    b.join();
    c.join();
}
