// A blocking queue with std::condition_variable: everything put in comes out once.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
    std::mutex lock;
    std::condition_variable filled;
    std::deque<int> items;

  public:
    void put(int v) {
        std::unique_lock<std::mutex> l(lock);
        items.push_back(v);
        l.unlock();
        filled.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> l(lock);
        filled.wait(l, [this] { return !items.empty(); });
        int v = items.front();
        items.pop_front();
        return v;
    }
};

int main() {
    Queue q;
    int got[2] = {0, 0};
    std::thread c1([&] { got[0] = q.take(); }), c2([&] { got[1] = q.take(); });
    std::thread p([&] {
        q.put(1);
        q.put(2);
    });
    c1.join();
    c2.join();
    p.join();
    assert(got[0] + got[1] == 3 && got[0] * got[1] == 2);
}
