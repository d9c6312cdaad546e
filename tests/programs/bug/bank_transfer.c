// A transfer that reads the balance under the lock and writes it under the lock, in two separate critical sections.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get(void) {
    pthread_mutex_lock(&lock);
    int now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

static void set(int value) {
    pthread_mutex_lock(&lock);
    balance = value;
    pthread_mutex_unlock(&lock);
}

static void *withdraw(void *arg) {
    set(get() - 30);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, withdraw, NULL);
    pthread_create(&t[1], NULL, withdraw, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(balance == 40); /* BUG */
    return 0;
}
