/*
 * queue.cc - a queue that is checked and emptied in two steps.
 *
 * Every method is safe by itself. Together they are not: between `empty` and `pop` the other worker takes the
 * last item.
 *
 *     g++ -g -pthread queue.cc -o queue
 *     raddle run ./queue
 */
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

class Queue {
    std::mutex lock;
    std::deque<int> items;

  public:
    explicit Queue(int n) : items(n, 1) {}

    bool empty() {
        std::lock_guard<std::mutex> guard(lock);
        return items.empty();
    }
    int pop() {
        std::lock_guard<std::mutex> guard(lock);
        if (items.empty())
            throw std::logic_error("pop from an empty queue");
        int item = items.front();
        items.pop_front();
        return item;
    }
};

static void work(Queue &queue) {
    while (!queue.empty())
        queue.pop();
}

int main() {
    Queue queue(3);
    std::thread one(work, std::ref(queue)), two(work, std::ref(queue));
    one.join();
    two.join();
}
