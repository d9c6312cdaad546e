// Two objects are initialised once each, and each initialisation needs the other object.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#include <mutex>
#include <thread>

static std::once_flag first, second;

static void make_first() {
    std::call_once(second, [] {}); /* BUG */
}

static void make_second() {
    std::call_once(first, [] {}); /* BUG */
}

int main() {
    std::thread a([] { std::call_once(first, make_first); });
    std::thread b([] { std::call_once(second, make_second); });
    a.join();
    b.join();
}
