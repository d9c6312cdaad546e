#include "account.h"

#include <catch2/catch.hpp>
#include <memory>

struct Bank {
    std::unique_ptr<Account> account = std::make_unique<Account>();
};

TEST_CASE_METHOD(Bank, "careful", "[good]") {
    twice([&] { account->deposit(1); });
    REQUIRE(account->balance() == 2);
}

TEST_CASE_METHOD(Bank, "careless", "[bad]") {
    twice([&] { account->deposit_carelessly(1); });
    INFO("a deposit is lost");
    REQUIRE(account->balance() == 2);
}

TEST_CASE("careless checked", "[bad]") {
    Account account;
    SECTION("twice") {
        twice([&] { account.deposit_carelessly(1); });
        INFO("a deposit is lost");
        CHECK(account.balance() == 2);
    }
}

TEST_CASE("no threads: with, commas [b] \"q\" \\ back, weiß", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("[first] bracket", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("~tilde", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("#hash", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("twin", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("TWIN", "[odd]") { CHECK(1 + 1 == 2); }
TEST_CASE("hidden", "[.]") { CHECK(1 + 1 == 3); }
TEMPLATE_TEST_CASE("typed", "[odd]", int, (std::pair<int, long>)) { CHECK(sizeof(TestType) > 0); }
