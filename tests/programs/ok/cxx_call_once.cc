// std::call_once: one thread runs the function, the others wait; if it throws, the next one tries.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int tries, value;

static void make() {
    std::this_thread::yield();
    if (tries++ == 0)
        throw 1;
    value = 42;
}

static void use() {
    for (;;) {
        try {
            std::call_once(flag, make);
            break;
        } catch (int) {
        }
    }
    assert(value == 42);
}

int main() {
    std::thread a(use), b(use);
    use();
    a.join();
    b.join();
    assert(tries == 2);
}
