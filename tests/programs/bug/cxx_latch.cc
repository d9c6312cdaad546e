// The latch counts to three, and two threads arrive, which wait for ever.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <latch>
#include <thread>

int main() {
    std::latch all(3);
    std::thread a([&] { all.arrive_and_wait(); }); /* BUG */
    all.count_down();
    a.join();
}
