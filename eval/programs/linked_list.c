/*
 * Linked list: threads append to one list; each looks for the last node and links its own behind it.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "LinkedList"
 * Size: THREADS=2 ITEMS=2
 * Bug 1: the lock is held to find the last node and to link, but not in between; a node is lost (assertion) (1,1,2)
 * Bug 2: the count of nodes is changed after the lock was given back; an update is lost (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

struct node {
    struct node *_Atomic next;
};

static struct node head, node[THREADS][ITEMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;

static void count_one(void) {
    int before = count;
    count = before + 1;
}

static void append(struct node *n) {
    pthread_mutex_lock(&lock);
    struct node *last = &head;
    while (last->next) {
        last = last->next;
    }
#if BUG == 1
    pthread_mutex_unlock(&lock); /* seeded bug: `last` may be the last node no longer */
    pthread_mutex_lock(&lock);
#endif
    last->next = n;
#if BUG == 2
    pthread_mutex_unlock(&lock); /* seeded bug: count_one() is without the lock */
    count_one();
#else
    count_one();
    pthread_mutex_unlock(&lock);
#endif
}

static void *work(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        append(&node[(intptr_t)arg][i]);
    }
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    int length = 0;
    for (struct node *n = head.next; n; n = n->next) {
        length++;
    }
    assert(length == THREADS * ITEMS);
    assert(count == length);
    return 0;
}
