#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "account.h"

#include <doctest/doctest.h>
#include <memory>

struct Bank {
    std::unique_ptr<Account> account = std::make_unique<Account>();
};

TEST_CASE_FIXTURE(Bank, "careful") {
    twice([&] { account->deposit(1); });
    REQUIRE(account->balance() == 2);
}

TEST_CASE_FIXTURE(Bank, "careless") {
    twice([&] { account->deposit_carelessly(1); });
    INFO("a deposit is lost");
    REQUIRE(account->balance() == 2);
}

TEST_CASE("careless checked") {
    Account account;
    SUBCASE("twice") {
        twice([&] { account.deposit_carelessly(1); });
        INFO("a deposit is lost");
        CHECK(account.balance() == 2);
    }
}
