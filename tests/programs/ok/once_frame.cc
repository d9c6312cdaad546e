// Two flags of call_once use the same memory, one after the other: each is run once.
// RADDLE: -s dpor
// EXPECT: none
// EXECUTIONS: 4
// FLAGS: -std=c++20
// MODE: plain
#include <cassert>
#include <mutex>
#include <thread>
static int once_in_a_frame() {
    std::once_flag flag;
    int runs = 0;
    std::thread a([&] { std::call_once(flag, [&] { runs++; }); });
    std::call_once(flag, [&] { runs++; });
    a.join();
    return runs;
}
int main() {
    assert(once_in_a_frame() == 1);
    assert(once_in_a_frame() == 1);
}
