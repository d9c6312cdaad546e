// Transfers between accounts: both locks, always in the same order. The total never changes.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};
static struct account account[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(int from, int to, int amount) {
    struct account *first = &account[from < to ? from : to], *second = &account[from < to ? to : from];
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (account[from].balance >= amount) {
        account[from].balance -= amount;
        account[to].balance += amount;
    }
    assert(account[0].balance + account[1].balance == 200);
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *forth(void *arg) {
    transfer(0, 1, 70);
    transfer(0, 1, 70);
    return arg;
}

static void *back(void *arg) {
    transfer(1, 0, 90);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, forth, NULL);
    pthread_create(&t[1], NULL, back, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(account[0].balance >= 0 && account[1].balance >= 0);
    return 0;
}
