/*
 * account.h - the subject of the tests of test frameworks: an account whose deposit is correct, or overwrites a
 * deposit that came in between.
 */
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

/* Runs the same work on the account in two threads. */
template <class Work> void twice(Work work) {
    std::thread first(work), second(work);
    first.join();
    second.join();
}

#endif
