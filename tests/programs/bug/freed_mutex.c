// An object is freed together with its lock, while another thread is about to take the lock.
// RADDLE: -s dpor
// EXPECT: use-after-free
// OUTPUT:   freed by T2 in drop at
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};
static struct account *account;

static void *pay(void *arg) {
    struct account *a = arg;
    pthread_mutex_lock(&a->lock), pthread_mutex_unlock(&a->lock); /* BUG */
    return NULL;
}

static void *drop(void *arg) {
    free(arg);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    account = calloc(1, sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    pthread_create(&a, NULL, pay, account);
    pthread_create(&b, NULL, drop, account);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
