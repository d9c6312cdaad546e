/*
 * Region ownership: a region has a queue of messages; the thread that owns the region handles them, one at a time.
 *
 * Suite: rank, gambit
 * Published: RankChecker Table 1, "RegionOwnership"
 * Size: CALLS=2 (asynchronous calls of the first region to the second, which answers each with a message)
 * Bug 1: a sender looks who owns the region before it queues the message; nobody handles it (assertion) (2,2,2)
 * Bug 2: an owner looks for messages once more before it gives the region up, not after (assertion) (1,1,2)
 * Paper: bug 1 (2,2,2), its text says 3 preemptions
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CALLS
#define CALLS 2
#endif

/*
 * The rule: a message that is queued has an owner who will still look for it. A sender queues it first and then
 * tries to become the owner; an owner gives the region up first and then looks whether there is a message.
 */
static struct {
    atomic_int messages; // queued and not handled
    atomic_bool owned;
    int handled; // belongs to the owner
} home;

static sem_t calls; // the queue of the second region, which its own thread serves
static atomic_int inside;

static bool try_own(void) {
    bool expected = false;
    return atomic_compare_exchange_strong(&home.owned, &expected, true);
}

static void handle_messages(void) {
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0); // one owner at a time
    while (home.messages > 0) {
        home.messages--;
        home.handled++;
    }
    atomic_fetch_sub(&inside, 1);
}

static void give_up(void) {
#if BUG == 2
    handle_messages(); // BUG: a message that is sent between this line and the next has no owner
    home.owned = false;
#else
    do {
        home.owned = false;
    } while (home.messages > 0 && try_own() && (handle_messages(), true));
#endif
}

static void send(void) {
#if BUG == 1
    bool owned = home.owned; // BUG: the owner may give the region up before the message is in its queue
    home.messages++;
    if (!owned && try_own()) {
#else
    home.messages++;
    if (try_own()) {
#endif
        handle_messages();
        give_up();
    }
}

static void *second_region(void *unused) {
    for (int i = 0; i < CALLS; i++) {
        sem_wait(&calls);
        send();
    }
    return unused;
}

static void *first_region(void *unused) {
    if (try_own()) {
        for (int i = 0; i < CALLS; i++)
            sem_post(&calls);
        handle_messages();
        give_up();
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    sem_init(&calls, 0, 0);
    pthread_create(&first, NULL, first_region, NULL);
    pthread_create(&second, NULL, second_region, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(home.handled == CALLS); // no message is left without an owner
    return 0;
}
