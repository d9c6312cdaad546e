#define BOOST_TEST_DYN_LINK
#define BOOST_TEST_MODULE bank
#include "account.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace utf = boost::unit_test;

BOOST_AUTO_TEST_CASE(no_threads) { BOOST_TEST(1 + 1 == 2); }

BOOST_AUTO_TEST_SUITE(outer)
BOOST_AUTO_TEST_CASE(careful) {
    Account account;
    twice([&] { account.deposit(1); });
    BOOST_TEST(account.balance() == 2);
}

BOOST_AUTO_TEST_SUITE(inner, *utf::description("a suite: of suites"))
BOOST_AUTO_TEST_CASE(careless, *utf::description("loses: a deposit")) {
    Account account;
    twice([&] { account.deposit_carelessly(1); });
    BOOST_TEST(account.balance() == 2);
}
BOOST_AUTO_TEST_CASE(off, *utf::disabled()) { BOOST_TEST(1 + 1 == 3); }
typedef std::tuple<int, std::pair<int, long>> types;
BOOST_AUTO_TEST_CASE_TEMPLATE(typed, T, types) { BOOST_TEST(sizeof(T) > 0u); }
BOOST_DATA_TEST_CASE(data, utf::data::make({1, 2})) { BOOST_TEST(sample > 0); }
BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(disabled_suite, *utf::disabled())
BOOST_AUTO_TEST_CASE(within) { BOOST_TEST(1 + 1 == 3); }
BOOST_AUTO_TEST_SUITE_END()
