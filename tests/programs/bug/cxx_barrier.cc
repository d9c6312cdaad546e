// One thread leaves after the first round without dropping out; the others wait for it in the second.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: deadlock
// FLAGS: -std=c++20
#include <barrier>
#include <thread>

int main() {
    std::barrier<> barrier(2);
    std::thread a([&] {
        for (int i = 0; i < 2; i++)
            barrier.arrive_and_wait(); /* BUG */
    });
    std::thread b([&] { barrier.arrive_and_wait(); });
    a.join();
    b.join();
}
