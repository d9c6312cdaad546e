/*
 * Transaction manager: transactions in progress are in a hash table; a timer aborts those that have timed out.
 *
 * Suite: icb
 * Published: ICB Table 2, "Transaction Manager"
 * Size: CLIENTS=1 BUCKETS=2 (each client runs a transaction that times out, then one that does not; and the timer)
 * Bug 1: the timer keeps a pointer to a transaction that the client commits and frees (heap) (2,1,2)
 * Bug 2: the timer looks a transaction up and aborts it in two critical sections (assertion) (2,1,2)
 * Bug 3: the timer aborts by handle alone; the client has given the handle to a new transaction (assertion) (3,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CLIENTS
#define CLIENTS 1
#endif
#ifndef BUCKETS
#define BUCKETS 2
#endif

struct transaction {
    int handle; // free again after the end of the transaction
    bool timed_out;
    struct transaction *next;
};

static struct {
    pthread_mutex_t lock;
    struct transaction *first;
} table[BUCKETS];

static atomic_int begun, committed, aborted;

static struct transaction **find(int handle) {
    struct transaction **link = &table[handle % BUCKETS].first;
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    return link;
}

static void remove_and_free(struct transaction **link) {
    struct transaction *transaction = *link;
    *link = transaction->next;
    free(transaction);
}

static void begin(int handle, bool timed_out) {
    struct transaction *transaction = malloc(sizeof *transaction);
    *transaction = (struct transaction){.handle = handle, .timed_out = timed_out};
    pthread_mutex_lock(&table[handle % BUCKETS].lock);
    transaction->next = table[handle % BUCKETS].first;
    table[handle % BUCKETS].first = transaction;
    pthread_mutex_unlock(&table[handle % BUCKETS].lock);
    begun++;
}

// Returns false if the timer has aborted the transaction.
static bool commit(int handle) {
    pthread_mutex_lock(&table[handle % BUCKETS].lock);
    struct transaction **link = find(handle);
    bool found = *link;
    if (found)
        remove_and_free(link);
    pthread_mutex_unlock(&table[handle % BUCKETS].lock);
    committed += found;
    return found;
}

static void *client(void *argument) {
    int handle = (int)(intptr_t)argument;
    begin(handle, true);
    commit(handle); // either way
    begin(handle, false);
    bool done = commit(handle);
    assert(done); // it has not timed out, so nobody may abort it
    return NULL;
}

static void abort_transaction(int handle, struct transaction *seen) {
    pthread_mutex_lock(&table[handle % BUCKETS].lock);
#if BUG == 1
    bool found = seen->timed_out; // BUG: the transaction may have been freed since the timer saw it
    struct transaction **link = find(seen->handle);
#else
    (void)seen;
    struct transaction **link = find(handle);
#if BUG == 3
    bool found = *link; // BUG: this may be a later transaction with the same handle
#else
    bool found = *link && (*link)->timed_out;
#endif
#endif
#if BUG == 2
    pthread_mutex_unlock(&table[handle % BUCKETS].lock); // BUG: the client may commit the transaction here
    pthread_mutex_lock(&table[handle % BUCKETS].lock);
    link = find(handle);
#endif
    if (found && *link)
        remove_and_free(link);
    pthread_mutex_unlock(&table[handle % BUCKETS].lock);
    aborted += found;
}

// One round of the timer: it notes what has timed out in a bucket, then aborts it.
static void *timer(void *unused) {
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        struct transaction *seen[CLIENTS];
        int handle[CLIENTS], count = 0;
        pthread_mutex_lock(&table[bucket].lock);
        for (struct transaction *each = table[bucket].first; each; each = each->next)
            if (each->timed_out) {
                handle[count] = each->handle;
                seen[count++] = each;
            }
        pthread_mutex_unlock(&table[bucket].lock);
        for (int i = 0; i < count; i++)
            abort_transaction(handle[i], seen[i]);
    }
    return unused;
}

int main(void) {
    pthread_t threads[CLIENTS + 1];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, (void *)(intptr_t)i);
    pthread_create(&threads[CLIENTS], NULL, timer, NULL);
    for (int i = 0; i < CLIENTS + 1; i++)
        pthread_join(threads[i], NULL);
    assert(committed + aborted == begun); // each transaction ended exactly once
    return 0;
}
