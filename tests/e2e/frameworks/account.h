/* What the tests of the frameworks test: an account whose deposit is correct, or forgets what came between. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <mutex>
#include <thread>

class Account {
  public:
    void deposit(int amount) {
        std::lock_guard<std::mutex> hold(lock);
        sum += amount;
    }
    void deposit_carelessly(int amount) {
        int seen = balance();
        std::lock_guard<std::mutex> hold(lock);
        sum = seen + amount; /* BUG */
    }
    int balance() {
        std::lock_guard<std::mutex> hold(lock);
        return sum;
    }

  private:
    std::mutex lock;
    int sum = 0;
};

/* Two threads do the same to the account. */
template <class Work> void twice(Work work) {
    std::thread first(work), second(work);
    first.join();
    second.join();
}

#endif
