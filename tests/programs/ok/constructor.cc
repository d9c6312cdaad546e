// Threads that live before main begins and after it has returned.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Server {
    std::mutex lock;
    std::condition_variable changed;
    bool stop = false;
    int requests = 0, served = 0;
    std::thread thread;

    void serve() {
        std::unique_lock<std::mutex> l(lock);
        for (;;) {
            while (!stop && served == requests)
                changed.wait(l);
            if (served == requests)
                return;
            served++;
        }
    }

  public:
    Server() : thread(&Server::serve, this) {}
    void request() {
        std::lock_guard<std::mutex> l(lock);
        requests++;
        changed.notify_one();
    }
    ~Server() {
        {
            std::lock_guard<std::mutex> l(lock);
            stop = true;
        }
        changed.notify_one();
        thread.join();
        assert(served == 2);
    }
};
static Server server;

int main() {
    std::thread client([] { server.request(); });
    server.request();
    client.join();
}
