// A cache with a shared lock: the entry is looked up, and used after the lock was given back.
#include <cassert>
#include <map>
#include <mutex>
#include <memory>
#include <shared_mutex>
#include <string>
#include <thread>

struct Entry {
    std::string text;
    int hits = 0;
};

template <class K> class Cache {
  public:
    Entry *find(const K &key) {
        std::shared_lock<std::shared_mutex> hold(lock_);
        auto it = map_.find(key);
        return it == map_.end() ? nullptr : it->second.get();
    }
    void put(const K &key, const char *text) {
        std::unique_lock<std::shared_mutex> hold(lock_);
        map_[key] = std::make_unique<Entry>();
        map_[key]->text = text;
    }

  private:
    std::shared_mutex lock_;
    std::map<K, std::unique_ptr<Entry>> map_;
};

static Cache<int> cache;

int main() {
    cache.put(1, "one");
    std::thread reader([] {
        if (Entry *e = cache.find(1))
            e->hits++;
    });
    std::thread writer([] { cache.put(1, "uno"); });
    reader.join();
    writer.join();
}
