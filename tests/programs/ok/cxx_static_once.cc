// Any thread may initialise a local static object, at its first or second attempt: every order of two threads.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include <cassert>
#include <thread>

static int tries;

struct Fragile {
    Fragile() {
        if (tries++ == 0)
            throw 1;
    }
};

static bool use() {
    try {
        static Fragile f;
        return true;
    } catch (int) {
        return false;
    }
}

int main() {
    bool made = false;
    std::thread other([&made] { made = use(); });
    bool mine = use();
    other.join();
    assert(mine != made && tries == 2);
}
