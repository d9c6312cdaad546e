// A thread throws when it finds the queue empty, and no code catches the exception.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: assertion
// OUTPUT: the queue is empty
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int queued;

static void take() {
    std::lock_guard<std::mutex> guard(lock);
    if (queued == 0)
        throw std::out_of_range("the queue is empty"); /* BUG */
    queued--;
}

static void put() {
    std::lock_guard<std::mutex> guard(lock);
    queued++;
}

int main() {
    std::thread a(put), b(take);
    a.join();
    b.join();
}
