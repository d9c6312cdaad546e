// Destructors of thread_local objects run in their thread, newest first, before a join returns.
// RADDLE: -s random --seed 3 -n 200
// EXPECT: none
#include <cassert>
#include <sched.h>
#include <string>
#include <thread>

static std::string log_[3];

struct Note {
    std::string *to = nullptr;
    char letter;
    explicit Note(char c) : letter(c) {}
    ~Note() {
        sched_yield();
        if (to)
            *to += letter;
    }
};

static thread_local Note outer('o');
static thread_local Note inner('i');

static void work(std::string *to) {
    outer.to = to;
    sched_yield();
    inner.to = to;
    assert(to->empty());
}

int main() {
    std::thread a(work, &log_[0]), b(work, &log_[1]);
    a.join();
    assert(log_[0] == "io");
    b.join();
    assert(log_[1] == "io");
    std::thread([] { outer.to = &log_[2]; }).join();
    assert(log_[2] == "o");
}
