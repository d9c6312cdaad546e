#include "account.h"

#include <gtest/gtest.h>
#include <memory>

class Bank : public testing::Test {
protected:
    void SetUp() override { account = std::make_unique<Account>(); }
    void TearDown() override { account.reset(); }
    std::unique_ptr<Account> account;
};

TEST_F(Bank, Careful) {
    twice([&] { account->deposit(1); });
    EXPECT_EQ(account->balance(), 2);
}

TEST_F(Bank, Careless) {
    twice([&] { account->deposit_carelessly(1); });
    EXPECT_EQ(account->balance(), 2) << "a deposit is lost";
}

TEST_F(Bank, CarelessAsserted) {
    twice([&] { account->deposit_carelessly(1); });
    ASSERT_EQ(account->balance(), 2) << "a deposit is lost";
}

class Careful : public testing::TestWithParam<int> {};

TEST_P(Careful, Amount) {
    Account account;
    twice([&] { account.deposit(GetParam()); });
    EXPECT_EQ(account.balance(), 2 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Amounts, Careful, testing::Values(1, 5));

template <class T> class Typed : public testing::Test {};
TYPED_TEST_SUITE(Typed, testing::Types<int>);
TYPED_TEST(Typed, HasNoThreads) { EXPECT_EQ(TypeParam(), 0); }

TEST(Odd, DISABLED_Broken) { FAIL(); }
TEST(Odd, Skips) { GTEST_SKIP() << "no network"; }

/* Made at run time: the only tests of GoogleTest whose names may hold any characters. */
struct AtRunTime : testing::Test {
    void TestBody() override {}
};
static AtRunTime *make() { return new AtRunTime; }
static const auto *colons = testing::RegisterTest("AtRunTime", "a:b-c \"q\", [d] weiß", nullptr, nullptr, __FILE__, __LINE__, make);
static const auto *twin1 = testing::RegisterTest("AtRunTime", "twin:", nullptr, nullptr, __FILE__, __LINE__, make);
static const auto *twin2 = testing::RegisterTest("AtRunTime", "twin-", nullptr, nullptr, __FILE__, __LINE__, make);
