/*
 * ledger.c N - N threads add to atomic counters, each of which two neighbours share; the first and the last thread
 * also add to one balance without a lock. Most shared variables have no part in the bug: a lost update of the
 * balance.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 32, WORK = 4 };
static _Atomic int noise[MOST];
static int balance;

static void *work(void *arg) {
    intptr_t me = (intptr_t)arg;
    for (int i = 0; i < WORK; i++)
        noise[me / 2]++;
    return arg;
}

static void *deposit(void *arg) {
    intptr_t me = (intptr_t)arg;
    for (int i = 0; i < WORK; i++)
        noise[me / 2]++;
    int before = balance;
    balance = before + 1;
    for (int i = 0; i < WORK; i++)
        noise[me / 2]++;
    return arg;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 8;
    pthread_t t[2 * MOST];
    for (intptr_t i = 0; i < n; i++)
        pthread_create(&t[i], NULL, i == 0 || i == n - 1 ? deposit : work, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    assert(balance == 2);
    return 0;
}
