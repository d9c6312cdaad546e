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
