/*
 * Shop: suppliers fill the shelf, customers take from it, and the shop closes when all suppliers are done.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "Shop"
 * Size: SUPPLIERS=1 CUSTOMERS=2 GOODS=2
 * Bug 1: a customer sees goods on the shelf, and takes them in a second step; another took them (assertion) (1,1,3)
 * Bug 2: the shop closes and wakes one customer only; the other waits for ever (deadlock) (1,1,3)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef SUPPLIERS
#define SUPPLIERS 1
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 2
#endif
#ifndef GOODS
#define GOODS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int shelf, delivering = SUPPLIERS, bought;

static void *supply(void *arg) {
    for (int i = 0; i < GOODS; i++) {
        pthread_mutex_lock(&lock);
        shelf++;
        pthread_cond_signal(&news);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    if (--delivering == 0) {
#if BUG == 2
        pthread_cond_signal(&news); /* seeded bug: all customers have to hear that the shop is closed */
#else
        pthread_cond_broadcast(&news);
#endif
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

/* Waits until there is something on the shelf, or never will be. Returns with the lock held. */
static bool wait_for_goods(void) {
    pthread_mutex_lock(&lock);
    while (shelf == 0 && delivering > 0) {
        pthread_cond_wait(&news, &lock);
    }
    return shelf > 0;
}

static void *shop(void *arg) {
    while (wait_for_goods()) {
#if BUG == 1
        pthread_mutex_unlock(&lock); /* seeded bug: on the way to the shelf another customer is faster */
        pthread_mutex_lock(&lock);
#endif
        shelf--;
        assert(shelf >= 0);
        bought++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread[SUPPLIERS + CUSTOMERS];
    for (int i = 0; i < SUPPLIERS + CUSTOMERS; i++) {
        pthread_create(&thread[i], NULL, i < SUPPLIERS ? supply : shop, NULL);
    }
    for (int i = 0; i < SUPPLIERS + CUSTOMERS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(bought == SUPPLIERS * GOODS && shelf == 0);
    return 0;
}
