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

TEST_CASE("no threads: with, commas [b] \"q\" \\ * <x> & weiß") { CHECK(1 + 1 == 2); }
TEST_CASE("skipped" * doctest::skip()) { CHECK(1 + 1 == 3); }
TEST_SUITE("one") {
    TEST_CASE("the same name") { CHECK(1 + 1 == 2); }
}
TEST_SUITE("two") {
    TEST_CASE("the same name") { CHECK(1 + 1 == 3); }
    TEST_CASE("twice here") {}
    TEST_CASE("twice here") {}
}
TEST_CASE_TEMPLATE("typed", T, int, long) { CHECK(sizeof(T) > 0); }
TEST_CASE("parses <br/>") { CHECK(1 + 1 == 3); }
TEST_CASE("a='/>' name=\"x\" skipped=\"true\">") { CHECK(1 + 1 == 2); }
