// A method runs on an object that another thread deletes.
// RADDLE: -s dpor
// EXPECT: use-after-free
// MODE: hooks
// OUTPUT:   allocated by T0 (main) in main at
// OUTPUT:   freed by T2 in
#include <thread>
#include <vector>

class Session {
    std::vector<int> items_{1, 2, 3};
    int used_ = 0;

  public:
    void touch() {
        used_++; /* BUG */
    }
    std::size_t size() const { return items_.size(); }
};

static Session *session;

int main() {
    session = new Session;
    std::thread user([] { session->touch(); });
    std::thread closer([] { delete session; });
    user.join();
    closer.join();
    return 0;
}
