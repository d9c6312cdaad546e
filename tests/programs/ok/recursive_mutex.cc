// std::recursive_mutex: a method that calls another one of the same object.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <cassert>
#include <mutex>
#include <thread>

class Account {
    std::recursive_mutex lock;
    int balance = 0, moves = 0;

  public:
    void add(int n) {
        std::lock_guard<std::recursive_mutex> l(lock);
        balance += n;
        moves++;
        assert(balance == moves * 10);
    }
    void add_twice(int n) {
        std::unique_lock<std::recursive_mutex> l(lock);
        add(n);
        add(n);
    }
    bool done() { return balance == 60 && moves == 6; }
};

int main() {
    Account account;
    std::thread a([&] {
        account.add_twice(10);
        account.add(10);
    });
    std::thread b([&] {
        account.add(10);
        account.add_twice(10);
    });
    a.join();
    b.join();
    assert(account.done());
}
