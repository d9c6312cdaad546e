// Two threads race on one member of a heap block; the argument says by which statement the block is allocated.
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace app {
struct Base {
    virtual ~Base() = default;
    int count = 0;
};
class Session : public Base {
  public:
    explicit Session(int id) : id_(id) {}
    void use() { ++id_; }

  private:
    int id_;
};
template <class T> struct Box {
    T value;
    int count;
};
template <class T> T *make() { return new T(); }
class Server {
  public:
    Server() : session_(new Session(1)) {}
    Session *session_;
};
} // namespace app

template <class F> static void two(F change) {
    std::thread a(change), b(change);
    a.join();
    b.join();
}

int main(int argc, char **argv) {
    using namespace app;
    const char *way = argc > 1 ? argv[1] : "";
    if (!std::strcmp(way, "new")) {
        auto *s = new Session(3);
        two([s] { s->use(); });
    } else if (!std::strcmp(way, "base")) {
        Base *s = new app::Session(3);
        two([s] { s->count++; });
    } else if (!std::strcmp(way, "nothrow")) {
        auto *s = new (std::nothrow) Session(3);
        two([s] { s->use(); });
    } else if (!std::strcmp(way, "member")) {
        Server server;
        two([&] { server.session_->use(); });
    } else if (!std::strcmp(way, "unique")) {
        auto s = std::make_unique<Session>(4);
        two([&] { s->use(); });
    } else if (!std::strcmp(way, "shared")) {
        auto s = std::make_shared<Session>(4);
        two([&] { s->use(); });
    } else if (!std::strcmp(way, "template")) {
        auto *s = make<Box<int>>();
        two([s] { s->count++; });
    } else if (!std::strcmp(way, "vector")) {
        std::vector<Box<int>> v(5);
        two([&] { v[3].count++; });
    } else if (!std::strcmp(way, "list")) {
        std::list<Session> l;
        l.emplace_back(7);
        two([&] { l.front().use(); });
    } else if (!std::strcmp(way, "array")) {
        int *numbers = new int[6]();
        two([numbers] { numbers[4]++; });
    }
}
