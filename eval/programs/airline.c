/*
 * Airline: agents sell the seats of one flight until one of them notices that it is full.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "AirlineTickets"
 * Size: AGENTS=3 SEATS=2
 * Bug 1: an agent looks whether sales have stopped before it takes the lock to sell; overbooked (assertion) (1,1,3)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef AGENTS
#define AGENTS 3
#endif
#ifndef SEATS
#define SEATS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sold, tickets; /* seats that the flight knows of; tickets in the hands of customers */
static atomic_bool full;

static void sell_seat(void) {
    int before = sold;
    sold = before + 1;
    if (sold >= SEATS) {
        full = true;
    }
    tickets++;
}

static void *agent(void *arg) {
#if BUG == 1
    if (!full) { /* seeded bug: what the test says may be out of date when the seat is sold */
        pthread_mutex_lock(&lock);
        sell_seat();
        pthread_mutex_unlock(&lock);
    }
#else
    pthread_mutex_lock(&lock);
    if (!full) {
        sell_seat();
    }
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void) {
    pthread_t thread[AGENTS];
    for (int i = 0; i < AGENTS; i++) {
        pthread_create(&thread[i], NULL, agent, NULL);
    }
    for (int i = 0; i < AGENTS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(sold == tickets);
    assert(tickets == (AGENTS < SEATS ? AGENTS : SEATS));
    return 0;
}
