// An exception skips the unlock; the next thread waits for ever.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: misuse deadlock
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int credit = 10;

static void spend(int n) {
    lock.lock(); /* BUG */
    if (n > credit)
        throw std::runtime_error("not enough");
    credit -= n;
    lock.unlock();
}

static void shopper(int n) {
    try {
        spend(n);
    } catch (const std::runtime_error &) {
    }
}

int main() {
    std::thread a(shopper, 9), b(shopper, 7);
    a.join();
    b.join();
    shopper(0);
}
