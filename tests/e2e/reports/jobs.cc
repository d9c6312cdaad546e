// A bounded queue whose size() reads without the lock; a data race, and a wrong decision from it.
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

struct Job {
    int id;
    bool done;
};

class Queue {
  public:
    void push(Job *job) {
        std::lock_guard<std::mutex> hold(lock_);
        jobs_.push_back(job);
        ++count_;
    }
    Job *pop() {
        if (count_ == 0)
            return nullptr;
        std::lock_guard<std::mutex> hold(lock_);
        Job *job = jobs_.front();
        jobs_.pop_front();
        --count_;
        return job;
    }

  private:
    std::mutex lock_;
    std::deque<Job *> jobs_;
    int count_ = 0;
};

int main() {
    Queue queue;
    Job job{1, false};
    queue.push(&job);
    auto work = [&] {
        if (Job *j = queue.pop()) {
            assert(!j->done);
            j->done = true;
        }
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
}
