// A reference count that is decremented and then read: both owners see zero.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: double-free
// MODE: hooks
#include <atomic>
#include <thread>

static std::atomic<int> refs{2};

struct Shared {
    int payload = 7;
    void release() {
        refs--;
        if (refs == 0)
            delete this; /* BUG */
    }
};

int main() {
    Shared *s = new Shared;
    std::thread a([s] { s->release(); });
    std::thread b([s] { s->release(); });
    a.join();
    b.join();
}
