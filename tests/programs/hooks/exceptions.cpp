// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=c++17 -pthread
//
// Exceptions through instrumented frames: nested, rethrown, from constructors, carried by exception_ptr; the
// compilers call __tsan_func_exit on the way out.
#include "check.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

static thread_local int alive;

struct tracked {
    explicit tracked(bool fail = false) {
        if (fail)
            throw std::runtime_error("constructor");
        alive++;
    }
    tracked(const tracked &) { alive++; }
    ~tracked() { alive--; }
};

struct composite {
    tracked a, b;
    explicit composite(bool fail) : a(), b(fail) {}
};

static int deep(int n) {
    tracked t;
    if (n == 0)
        throw n;
    return deep(n - 1) + n;
}

static int nested() {
    try {
        try {
            deep(10);
        } catch (int) {
            tracked t;
            throw std::logic_error("inner");
        }
    } catch (const std::exception &e) {
        try {
            std::throw_with_nested(std::runtime_error("outer"));
        } catch (const std::exception &o) {
            try {
                std::rethrow_if_nested(o);
            } catch (const std::logic_error &i) {
                return std::string(i.what()) == "inner" ? 1 : 2;
            }
        }
    }
    return 3;
}

static void no_throw() noexcept {
    try {
        composite c(true);
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()) == "constructor");
    }
}

static void test() {
    CHECK(nested() == 1 && alive == 0);
    no_throw();
    CHECK(alive == 0);
    std::exception_ptr p;
    try {
        std::vector<tracked> v(3);
        v.at(7);
    } catch (...) {
        p = std::current_exception();
    }
    CHECK(alive == 0);
    try {
        std::rethrow_exception(p);
    } catch (const std::out_of_range &) {
        alive = 42;
    }
    CHECK(alive == 42);
    alive = 0;
}
