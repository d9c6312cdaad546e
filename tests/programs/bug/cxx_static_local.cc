// The initialisation of a local static object needs a lock, and another thread asks for the object while it holds that
// lock.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#include <mutex>
#include <thread>

static std::mutex lock;

struct Table {
    int value;
    Table() {
        std::lock_guard<std::mutex> l(lock); /* BUG */
        value = 42;
    }
};

static Table &table() {
    static Table t; /* BUG */
    return t;
}

static void locked() {
    std::lock_guard<std::mutex> l(lock);
    table();
}

int main() {
    std::thread a(locked), b(table);
    a.join();
    b.join();
}
