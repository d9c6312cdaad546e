// std::barrier: rounds with a completion function between them, and a thread that drops out after the first.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// FLAGS: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>

static int rounds;
static void completed() noexcept { rounds++; }

int main() {
    std::barrier<void (*)() noexcept> barrier(3, completed);
    auto stay = [&] {
        for (int i = 0; i < 2; i++) {
            barrier.arrive_and_wait();
            assert(rounds >= i + 1);
        }
    };
    std::thread a(stay), b(stay), c([&] { barrier.arrive_and_drop(); });
    a.join();
    b.join();
    c.join();
    assert(rounds == 2);
}
