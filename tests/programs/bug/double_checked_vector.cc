// Double-checked initialisation with a vector of threads and a shared_ptr, without optimisation: the flag is set too early.
// RADDLE: -s random -n 100
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct config {
    int size = 0, limit = 0;
};

static std::mutex lock;
static bool ready;
static std::shared_ptr<config> shared;

static int use() {
    if (!ready) {
        std::lock_guard<std::mutex> guard(lock);
        if (!ready) {
            ready = true; /* too early */
            shared = std::make_shared<config>();
            shared->size = 4;
            shared->limit = 8;
        }
    }
    assert(shared && shared->limit == 8); /* BUG */
    return shared->size;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([] { use(); });
    for (auto &t : threads)
        t.join();
    return 0;
}
