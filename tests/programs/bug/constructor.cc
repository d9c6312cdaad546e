// The failure is in a constructor that runs before main, with a thread that was created before main.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: assertion
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int level;

struct Early {
    std::thread helper;
    Early()
        : helper([] {
              std::lock_guard<std::mutex> guard(lock);
              level = 1;
          }) {
        std::lock_guard<std::mutex> guard(lock);
        assert(level == 0); /* BUG */
    }
    ~Early() { helper.join(); }
};
static Early early;

int main() { return 0; }
