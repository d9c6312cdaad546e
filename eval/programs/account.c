/*
 * Bank accounts: tellers move money between accounts that each have a lock of their own.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "Account"
 * Size: TELLERS=2 TRANSFERS=2
 * Bug 1: transfer holds only the lock of the account that pays; a credit is lost (assertion) (1,1,2)
 * Bug 2: transfer takes the payer's lock first, whichever that is; two tellers wait (deadlock) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef TELLERS
#define TELLERS 2
#endif
#ifndef TRANSFERS
#define TRANSFERS 2
#endif

enum { OPENING = 100 };

struct account {
    pthread_mutex_t lock;
    atomic_long balance; /* read and written in two steps: the lock makes an update one */
};

static struct account account[TELLERS];

static void change(struct account *a, long amount) {
    long balance = atomic_load_explicit(&a->balance, memory_order_relaxed);
    atomic_store_explicit(&a->balance, balance + amount, memory_order_relaxed);
}

static void transfer(struct account *from, struct account *to, long amount) {
#if BUG == 1
    /* seeded bug: as in a synchronized method of `from`, nothing protects `to` */
    pthread_mutex_lock(&from->lock);
    change(from, -amount);
    change(to, amount);
    pthread_mutex_unlock(&from->lock);
#else
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
#if BUG == 2
    first = from; /* seeded bug: no order that all tellers follow */
    second = to;
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    change(from, -amount);
    change(to, amount);
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
#endif
}

/* Teller i moves 10 * (i + 1) from account i to the next one, again and again. */
static void *teller(void *arg) {
    int i = (int)(intptr_t)arg;
    for (int n = 0; n < TRANSFERS; n++) {
        transfer(&account[i], &account[(i + 1) % TELLERS], 10 * (i + 1));
    }
    return NULL;
}

int main(void) {
    pthread_t thread[TELLERS];
    for (int i = 0; i < TELLERS; i++) {
        pthread_mutex_init(&account[i].lock, NULL);
        account[i].balance = OPENING;
    }
    for (int i = 0; i < TELLERS; i++) {
        pthread_create(&thread[i], NULL, teller, (void *)(intptr_t)i);
    }
    for (int i = 0; i < TELLERS; i++) {
        pthread_join(thread[i], NULL);
    }
    long total = 0;
    for (int i = 0; i < TELLERS; i++) {
        total += account[i].balance;
    }
    assert(total == TELLERS * OPENING);
    return 0;
}
