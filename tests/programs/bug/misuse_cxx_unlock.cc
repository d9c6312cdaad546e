// One thread locks the std::mutex, another one unlocks it.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: misuse
// FLAGS: -std=c++20
#include <mutex>
#include <thread>

static std::mutex lock;

int main() {
    lock.lock();
    std::thread helper([] {
        lock.unlock(); /* BUG */
    });
    helper.join();
}
