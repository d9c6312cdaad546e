// The consumer waits for the value and holds the lock that the producer needs to set it.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// TIMES: 20
// FLAGS: -std=c++20
#include <future>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::promise<int> value;

static void consumer(std::future<int> f) {
    std::lock_guard<std::mutex> l(lock);
    f.get(); /* BUG */
}

static void producer() {
    std::lock_guard<std::mutex> l(lock);
    value.set_value(1);
}

int main() {
    std::thread a(consumer, value.get_future()), b(producer);
    a.join();
    b.join();
}
