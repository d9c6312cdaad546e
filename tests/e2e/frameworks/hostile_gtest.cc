/* Tests with two bugs, of the same bug, disabled, in trouble, and with names that logs, pages and documents could obey. */
#include "account.h"

#include <cassert>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

static int shared;

static void race() {
    auto both = [] {
        shared++;
    };
    std::thread other(both);
    both();
    other.join();
}

TEST(Bugs, Two) {
    Account account;
    race();
    twice([&] { account.deposit_carelessly(1); });
    EXPECT_EQ(account.balance(), 2);
}

TEST(Bugs, SameRace) { race(); }

TEST(Bugs, SameCheck) {
    Account account;
    twice([&] { account.deposit_carelessly(1); });
    EXPECT_EQ(account.balance(), 2);
}

TEST(Good, Careful) {
    Account account;
    twice([&] { account.deposit(1); });
    EXPECT_EQ(account.balance(), 2);
}

TEST(Good, DISABLED_Off) { FAIL(); }

/* GoogleTest's filter cannot tell the two from each other: trouble. */
struct AtRunTime : testing::Test {
    void TestBody() override {}
};
struct Hostile : testing::Test {
    void TestBody() override {
        printf("::error::printed\n##[error]printed\n");
        race();
    }
};
static AtRunTime *make() { return new AtRunTime; }
static Hostile *make_hostile() { return new Hostile; }
static const auto *twin1 = testing::RegisterTest("Run", "twin:", nullptr, nullptr, __FILE__, __LINE__, make);
static const auto *twin2 = testing::RegisterTest("Run", "twin-", nullptr, nullptr, __FILE__, __LINE__, make);
static const auto *hostile = testing::RegisterTest("Odd", "::error::x ##[error]y </script><b>'\"&amp; | @octocat `a`", nullptr, nullptr,
                                                   __FILE__, __LINE__, make_hostile);
