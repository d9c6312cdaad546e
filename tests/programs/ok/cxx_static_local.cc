// A local static object is initialised once; other threads wait meanwhile, and its initialisation may use threads
// itself.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <cassert>
#include <thread>

static int made;

struct Table {
    int value = 0;
    Table() {
        std::this_thread::yield();
        std::thread helper([this] { value = 42; });
        helper.join();
        made++;
    }
};

struct Fragile {
    static inline int tries;
    Fragile() {
        std::this_thread::yield();
        if (tries++ == 0)
            throw 1;
    }
};

static Table &table() {
    static Table t;
    return t;
}

static void use() {
    assert(table().value == 42);
    for (;;) {
        try {
            static Fragile f;
            break;
        } catch (int) {
        }
    }
}

int main() {
    std::thread a(use), b(use);
    use();
    a.join();
    b.join();
    assert(made == 1 && Fragile::tries == 2);
}
