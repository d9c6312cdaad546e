// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O1 -std=c++17 -pthread
//
// Tables of virtual functions: calls from constructors and destructors, virtual and repeated inheritance, casts,
// member pointers, objects built in the same place twice.
#include "check.h"

#include <memory>
#include <new>
#include <string>
#include <typeinfo>
#include <vector>

static thread_local std::string trace;

struct base {
    int x = 1;
    base() { note(); }
    virtual ~base() { note(); }
    virtual char name() const { return 'b'; }
    void note() const { trace += name(); }
};
struct left : virtual base {
    int l = 2;
    left() { note(); }
    ~left() override { note(); }
    char name() const override { return 'l'; }
    virtual int left_only() { return l; }
};
struct right : virtual base {
    int r = 3;
    right() { note(); }
    ~right() override { note(); }
    char name() const override { return 'r'; }
};
struct diamond : left, right {
    diamond() { note(); }
    ~diamond() override { note(); }
    char name() const override { return 'd'; }
    int left_only() override { return l + r + x; }
};
struct unrelated {
    virtual ~unrelated() = default;
};

static void hierarchy() {
    trace.clear();
    {
        std::unique_ptr<base> p = std::make_unique<diamond>();
        const base &b = *p;
        CHECK(b.name() == 'd' && trace == "blrd" && typeid(b) == typeid(diamond));
        left *l = dynamic_cast<left *>(p.get());
        CHECK(l && l->left_only() == 6 && dynamic_cast<right *>(l) && !dynamic_cast<unrelated *>(l));
        int (left::*f)() = &left::left_only;
        CHECK((l->*f)() == 6);
    }
    CHECK(trace == "blrddrlb");
}

static void same_place() {
    alignas(diamond) unsigned char room[sizeof(diamond)];
    for (int i = 0; i < 3; i++) {
        base *p = i % 2 ? static_cast<base *>(new (room) right) : new (room) diamond;
        CHECK(p->name() == (i % 2 ? 'r' : 'd'));
        p->~base();
    }
}

static void many() {
    std::vector<std::unique_ptr<base>> all;
    for (int i = 0; i < 6; i++) {
        if (i % 3 == 0)
            all.push_back(std::make_unique<left>());
        else if (i % 3 == 1)
            all.push_back(std::make_unique<right>());
        else
            all.push_back(std::make_unique<diamond>());
    }
    std::string names;
    for (const auto &p : all)
        names += p->name();
    CHECK(names == "lrdlrd");
}

static void test() {
    hierarchy();
    same_place();
    many();
}
