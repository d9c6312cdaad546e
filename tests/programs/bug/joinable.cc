// If the worker was fast, main returns early and destroys a thread object that is neither joined nor detached.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: assertion
// OUTPUT: terminate called without an active exception
#include <mutex>
#include <thread>

static std::mutex lock;
static bool quick;

static int run() {
    std::thread worker([] {
        std::lock_guard<std::mutex> guard(lock);
        quick = true;
    });
    {
        std::lock_guard<std::mutex> guard(lock);
        if (quick)
            return 0;
    }
    worker.join();
    return 0;
}

int main() { return run(); }
