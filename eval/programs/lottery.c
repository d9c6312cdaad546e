/*
 * Lottery: players draw numbers from one generator of random numbers; no number may be sold twice.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "Lottery"
 * Size: PLAYERS=2 TICKETS=2
 * Bug 1: the generator's state is read and written back in two steps; a draw is lost (assertion) (1,1,2)
 * Bug 2: a player looks whether a number was sold, and marks it as sold later (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PLAYERS
#define PLAYERS 2
#endif
#ifndef TICKETS
#define TICKETS 2
#endif

enum { NUMBERS = 8 * PLAYERS * TICKETS };

static pthread_mutex_t draw_lock = PTHREAD_MUTEX_INITIALIZER, sold_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint state = 7;
static bool sold[NUMBERS];
static int winners[NUMBERS];

static unsigned draw(void) {
    const bool locks = BUG != 1; /* seeded bug: nothing makes one step of the two accesses to `state` */
    if (locks) {
        pthread_mutex_lock(&draw_lock);
    }
    unsigned next = state * 1103515245u + 12345u;
    state = next;
    if (locks) {
        pthread_mutex_unlock(&draw_lock);
    }
    return next >> 16;
}

/* Returns whether the number was free; it is sold then. */
static bool buy(unsigned number) {
    pthread_mutex_lock(&sold_lock);
    bool is_free = !sold[number];
#if BUG == 2
    pthread_mutex_unlock(&sold_lock); /* seeded bug: the number may be sold to another player here */
    pthread_mutex_lock(&sold_lock);
#endif
    if (is_free) {
        sold[number] = true;
        winners[number]++;
    }
    pthread_mutex_unlock(&sold_lock);
    return is_free;
}

/* A drawn number that is sold already leads to the next free one. */
static void *play(void *arg) {
    for (int i = 0; i < TICKETS; i++) {
        unsigned number = draw() % (NUMBERS / 8);
        while (!buy(number)) {
            number = (number + 1) % NUMBERS;
        }
    }
    return arg;
}

int main(void) {
    pthread_t thread[PLAYERS];
    for (int i = 0; i < PLAYERS; i++) {
        pthread_create(&thread[i], NULL, play, NULL);
    }
    for (int i = 0; i < PLAYERS; i++) {
        pthread_join(thread[i], NULL);
    }
    unsigned expected = 7;
    for (int i = 0; i < PLAYERS * TICKETS; i++) {
        expected = expected * 1103515245u + 12345u;
    }
    assert(state == expected); /* every draw took a number of its own from the generator */
    for (int i = 0; i < NUMBERS; i++) {
        assert(winners[i] <= 1);
    }
    return 0;
}
