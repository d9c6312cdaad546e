// Two threads check for room before either of them inserts.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class Room {
    std::mutex lock;
    std::vector<int> seats;

  public:
    bool full() {
        std::lock_guard<std::mutex> guard(lock);
        return seats.size() == 1;
    }
    void sit(int who) {
        std::lock_guard<std::mutex> guard(lock);
        seats.push_back(who);
        assert(seats.size() <= 1); /* BUG */
    }
};

static void visitor(Room &room, int who) {
    if (!room.full())
        room.sit(who);
}

int main() {
    Room room;
    std::thread a(visitor, std::ref(room), 1), b(visitor, std::ref(room), 2);
    a.join();
    b.join();
}
