// Two functions that are not atomic together, among many other operations: the named one is preempted first.
// RADDLE: -s best:method=withdraw,var=balance,pb --points all -n 3
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, visits;

static void visit(void) {
    pthread_mutex_lock(&lock);
    visits++;
    pthread_mutex_unlock(&lock);
}

static void withdraw(int amount) {
    int now = balance;
    balance = now - amount;
}

static void *customer(void *arg) {
    for (int i = 0; i < 10; i++)
        visit();
    withdraw(10);
    visit();
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(balance == 80); /* BUG */
    return 0;
}
