// C++20: a stack whose top carries a counter of changes, so that a reused node is not mistaken for the old one.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// COMPILE: gcc
// MODE: hooks
// FLAGS: -std=c++20 -O2
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct alignas(8) top_of {
    int32_t index;
    uint32_t changes;
};
static std::atomic<top_of> top{{0, 0}};
static std::atomic<int> below[2] = {1, -1}, in_use[2];

static int pop() {
    top_of t = top.load();
    while (t.index >= 0) {
        int next = below[t.index].load();
#ifdef BROKEN
        top_of wanted{next, t.changes};
#else
        top_of wanted{next, t.changes + 1};
#endif
        if (top.compare_exchange_strong(t, wanted))
            break;
    }
    if (t.index >= 0) {
        int users = in_use[t.index].fetch_add(1);
        assert(users == 0); /* BUG */
    }
    return t.index;
}

static void push(int i) {
    in_use[i].fetch_sub(1);
    top_of t = top.load();
    do
        below[i].store(t.index);
#ifdef BROKEN
    while (!top.compare_exchange_strong(t, {i, t.changes}));
#else
    while (!top.compare_exchange_strong(t, {i, t.changes + 1}));
#endif
}

static void one() {
    pop();
    pop();
}

static void two() {
    int a = pop();
    pop();
    if (a >= 0)
        push(a);
}

int main() {
    std::thread a(one), b(two);
    a.join();
    b.join();
}
