// A reference count that is not atomic: both owners see it fall to zero.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: double-free
// MODE: hooks
#include <thread>

struct Shared {
    int refs = 2;
    int payload = 7;
    void release() {
        refs = refs - 1;
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
