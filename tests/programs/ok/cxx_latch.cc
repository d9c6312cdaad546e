// std::latch: no thread continues before all have arrived.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

int main() {
    std::latch all(3);
    std::atomic<int> arrived{0};
    auto work = [&] {
        arrived++;
        all.arrive_and_wait();
        assert(arrived == 3);
    };
    std::thread a(work), b(work);
    arrived++;
    all.count_down();
    all.wait();
    assert(arrived == 3 && all.try_wait());
    a.join();
    b.join();
}
