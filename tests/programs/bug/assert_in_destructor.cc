// A thread_local object's destructor checks that the account was closed; a failure there is the thread's too.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: assertion
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int open_accounts;

struct Session {
    bool counted = false;
    ~Session() {
        std::lock_guard<std::mutex> guard(lock);
        open_accounts -= counted;
        assert(open_accounts == 0); /* BUG */
    }
};
static thread_local Session session;

static void visit() {
    std::lock_guard<std::mutex> guard(lock);
    session.counted = true;
    open_accounts++;
}

int main() {
    std::thread a(visit), b(visit);
    a.join();
    b.join();
}
