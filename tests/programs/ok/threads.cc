// std::thread: moved, in a vector, ids, references, detached.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
#include <cassert>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

static void store(std::thread::id &id, std::shared_ptr<int> number) {
    id = std::this_thread::get_id();
    std::this_thread::yield();
    assert(*number == 42);
}

int main() {
    auto number = std::make_shared<int>(42);
    std::vector<std::thread::id> ids(3);
    std::vector<std::thread> threads;
    for (auto &id : ids)
        threads.emplace_back(store, std::ref(id), number);
    std::vector<std::thread> moved = std::move(threads);
    for (size_t i = 0; i < moved.size(); i++) {
        std::thread::id was = moved[i].get_id();
        assert(moved[i].joinable());
        moved[i].join();
        assert(!moved[i].joinable() && ids[i] == was);
    }
    assert(std::set<std::thread::id>(ids.begin(), ids.end()).size() == 3);
    assert(number.use_count() == 1);
    std::thread([] {}).detach();
}
