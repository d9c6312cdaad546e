// A session is closed by one thread while another one still sends on it.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

enum class State { Open, Draining, Closed };

class Session {
  public:
    explicit Session(int id) : id_(id) {}
    void send(int word) {
        state_ = State::Draining;
        sent_ += word;
    }

  private:
    int id_;
    State state_ = State::Open;
    long sent_ = 0;
};

class Server {
  public:
    Server() : session_(new Session(7)) {}
    void send() {
        Session *s;
        {
            std::lock_guard<std::mutex> hold(lock_);
            s = session_;
        }
        if (s)
            s->send(42);
    }
    void close() {
        std::lock_guard<std::mutex> hold(lock_);
        delete session_;
        session_ = nullptr;
    }

  private:
    std::mutex lock_;
    Session *session_;
};

int main() {
    Server server;
    std::thread sender([&] { server.send(); });
    std::thread closer([&] { server.close(); });
    sender.join();
    closer.join();
}
