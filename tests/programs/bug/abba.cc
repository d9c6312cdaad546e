// Two objects that lock each other: swap(a, b) and swap(b, a).
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#include <mutex>
#include <thread>
#include <utility>

struct Cell {
    std::mutex lock;
    int value;
    explicit Cell(int v) : value(v) {}
};

static void swap(Cell &x, Cell &y) {
    x.lock.lock();
    y.lock.lock(); /* BUG */
    std::swap(x.value, y.value);
    y.lock.unlock();
    x.lock.unlock();
}

int main() {
    Cell a(1), b(2);
    std::thread t([&] { swap(a, b); });
    std::thread u([&] { swap(b, a); });
    t.join();
    u.join();
}
