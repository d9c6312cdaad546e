// Exceptions in flight in several threads at once, with switches inside destructors and handlers.
// RADDLE: -s random --seed 1 -n 150
// EXPECT: none
#include <cassert>
#include <exception>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>

struct Guard {
    int &depth;
    explicit Guard(int &d) : depth(d) { depth++; }
    ~Guard() {
        sched_yield(); // another thread's exception may be thrown and caught here
        assert(std::uncaught_exceptions() == 1);
        depth--;
    }
};

static void dig(int n, int &depth, const std::string &what) {
    Guard g(depth);
    if (n == 0)
        throw std::runtime_error(what);
    dig(n - 1, depth, what);
}

static void work(int id) {
    std::string name = "thread " + std::to_string(id);
    for (int i = 0; i < 2; i++) {
        int depth = 0;
        try {
            dig(3, depth, name);
            assert(!"not reached");
        } catch (const std::runtime_error &e) {
            sched_yield();
            assert(depth == 0 && name == e.what());
            try {
                std::rethrow_exception(std::current_exception());
            } catch (const std::exception &again) {
                sched_yield();
                assert(name == again.what() && std::uncaught_exceptions() == 0);
            }
        }
    }
}

int main() {
    std::thread a(work, 1), b(work, 2);
    work(3);
    a.join();
    b.join();
}
