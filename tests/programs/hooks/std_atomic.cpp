// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=c++20 -pthread -mcx16 -latomic
// UNSEEN: memory accesses in libatomic.so.1 (built without raddle cc)
//
// std::atomic of every kind of type, atomic_ref, atomic_flag, a counted pointer, std::shared_ptr.
#include "check.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

enum class colour : unsigned char { red, green };
struct point {
    short x, y;
    bool operator==(const point &) const = default;
};

template <class T> static void integer() {
    std::atomic<T> a{T(-1)};
    CHECK(a++ == T(-1) && a == 0 && --a == T(-1) && (a += 3) == 2 && (a -= 4) == T(-2));
    a = 6;
    CHECK((a &= 12) == 4 && (a |= 3) == 7 && (a ^= 2) == 5 && a.exchange(9) == 5);
    T seen = 8;
    CHECK(!a.compare_exchange_strong(seen, 1) && seen == 9);
    while (!a.compare_exchange_weak(seen, 1, std::memory_order_acq_rel, std::memory_order_relaxed))
        ;
    CHECK(a.load(std::memory_order_relaxed) == 1 && a.fetch_add(2, std::memory_order_release) == 1);
    a.store(4, std::memory_order_release);
    CHECK(a.fetch_or(1) == 4 && a.fetch_and(3) == 5 && a.fetch_xor(1) == 1 && a.fetch_sub(1) == 0);
    CHECK(a == T(-1));
}

static void others() {
    std::atomic<double> d{1.5};
    CHECK(d.fetch_add(2) == 1.5 && (d -= 1) == 2.5 && d.exchange(0) == 2.5);
    std::atomic<float> f{1};
    CHECK((f += 0.5f) == 1.5f);
    std::atomic<bool> b{false};
    bool no = false;
    CHECK(b.compare_exchange_strong(no, true) && b && b.exchange(false) && !b);
    std::atomic<colour> c{colour::red};
    c = colour::green;
    CHECK(c == colour::green);
    std::atomic<point> p{point{1, 2}};
    point seen = p;
    CHECK((seen == point{1, 2}) && p.compare_exchange_strong(seen, point{3, -4}) && (p.load() == point{3, -4}));
    int array[3] = {};
    std::atomic<int *> q{array};
    CHECK(q++ == array && q.fetch_add(1) == array + 1 && (q -= 2) == array);
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
    CHECK(!flag.test_and_set() && flag.test() && (flag.clear(), !flag.test()));
    std::atomic<int> one{1};
    one.wait(0);
    one.notify_all();
}

static void references() {
    int i = 5;
    {
        std::atomic_ref<int> r(i);
        CHECK(r.fetch_add(3) == 5 && ++r == 9 && r.exchange(-1) == 9);
    }
    CHECK(i == -1);
    double d = 2;
    CHECK(std::atomic_ref<double>(d).fetch_sub(0.5) == 2 && d == 1.5);
    alignas(std::atomic_ref<point>::required_alignment) point p{1, 2};
    point seen{0, 0};
    CHECK(!std::atomic_ref<point>(p).compare_exchange_strong(seen, point{5, 5}) && (seen == point{1, 2}));
}

// A pointer with a count, as many programs write them.
template <class T> class counted {
    struct body {
        std::atomic<long> count{1};
        T value;
    } * b;

  public:
    static inline thread_local int alive = 0;
    explicit counted(T v) : b(new body{1, std::move(v)}) { alive++; }
    counted(const counted &o) : b(o.b) { b->count.fetch_add(1, std::memory_order_relaxed); }
    ~counted() {
        if (b->count.fetch_sub(1, std::memory_order_release) == 1) {
            std::atomic_thread_fence(std::memory_order_acquire);
            delete b;
            alive--;
        }
    }
    T &operator*() { return b->value; }
};

static void pointers() {
    {
        counted<std::string> a("a string that is too long to be kept inside"), b = a, c = b;
        CHECK(&*a == &*c && (*b).size() == 43);
    }
    CHECK(counted<std::string>::alive == 0);
    auto s = std::make_shared<int>(7), t = s;
    std::weak_ptr<int> w = s;
    CHECK(s.use_count() == 2 && *w.lock() == 7);
    s.reset(), t.reset();
    CHECK(w.expired());
    std::atomic<__int128> wide{-1};
    __int128 was = 0;
    CHECK(!wide.compare_exchange_strong(was, 5) && was == -1 && wide.exchange(3) == -1 && wide == 3);
}

static void test() {
    integer<signed char>(), integer<unsigned char>(), integer<short>(), integer<char16_t>();
    integer<int>(), integer<unsigned>(), integer<long>(), integer<unsigned long long>();
    others();
    references();
    pointers();
}
