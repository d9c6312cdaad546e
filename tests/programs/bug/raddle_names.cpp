// Threads and memory under the names that the program gives them, in C++.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// MODE: hooks
// LINE: 17
// OUTPUT: balance+0x4
// OUTPUT: "teller"
#include <pthread.h>
#include <raddle.h>

static int *balance;

static void *deposit(void *arg) {
    raddle_name_thread("teller");
    int value = raddle_choose(1);
    raddle_assume(value == 0);
    balance[1] += 10;
    return arg;
}

int main() {
    pthread_t a, b;
    balance = new int[2]();
    raddle_name_variable(balance, 2 * sizeof *balance, "balance");
    pthread_create(&a, nullptr, deposit, nullptr);
    pthread_create(&b, nullptr, deposit, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    raddle_observe("balance", balance[1]);
    raddle_assert(balance[1] <= 20);
    delete[] balance;
    return 0;
}
