/*
 * Work-stealing queue (Cilk's THE protocol): the owner pushes and pops at the tail, thieves steal at the head.
 *
 * Suite: icb, gambit
 * Published: ICB Table 1 and 2, "Work Stealing Queue"; GAMBIT Table 2, "WSQ"
 * Size: THREADS=3 ITEMS=4 (the owner and THREADS-1 thieves; the ring has CAPACITY=3 slots)
 * Bug 1: pop compares head and tail before it claims; the last element is taken twice (assertion) (1,1,2)
 * Bug 2: steal reads the element after it has released the lock; the slot holds a later one (assertion) (2,2,2)
 * Bug 3: steal compares head and tail only before it claims; an element is taken twice (assertion) (2,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef CAPACITY
#define CAPACITY 3
#endif

/*
 * Elements head .. tail-1 are in the ring. A thief claims an element when it increments head, the owner when it
 * decrements tail; each looks at the other's index only after that. When both want the last element, head is
 * greater than tail for both or for the later one, and the lock decides.
 */
static struct {
    pthread_mutex_t lock; // thieves always hold it; the owner only when the queue may be empty
    atomic_int head, tail;
    atomic_int ring[CAPACITY];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int taken[ITEMS];

static bool push(int item) {
    int tail = queue.tail;
    if (tail - queue.head >= CAPACITY - 1) // one slot stays free for a thief that will give its claim back
        return false;
    queue.ring[tail % CAPACITY] = item;
    queue.tail = tail + 1;
    return true;
}

static bool pop(int *item) {
    int tail = queue.tail - 1;
#if BUG == 1
    if (queue.head > tail) // BUG: a thief may take the element before the next line claims it
        return false;
    queue.tail = tail;
#else
    queue.tail = tail;
    if (queue.head > tail) {
        queue.tail = tail + 1;
        pthread_mutex_lock(&queue.lock);
        queue.tail = tail;
        bool empty = queue.head > tail;
        if (empty)
            queue.tail = tail + 1;
        pthread_mutex_unlock(&queue.lock);
        if (empty)
            return false;
    }
#endif
    *item = queue.ring[tail % CAPACITY];
    return true;
}

static bool steal(int *item) {
    pthread_mutex_lock(&queue.lock);
    int head = queue.head;
#if BUG == 3
    bool empty = head >= queue.tail; // BUG: the owner may pop the element before the next line claims it
    if (!empty)
        queue.head = head + 1;
#else
    queue.head = head + 1;
    bool empty = head + 1 > queue.tail;
    if (empty)
        queue.head = head;
#endif
#if BUG != 2
    if (!empty)
        *item = queue.ring[head % CAPACITY];
#endif
    pthread_mutex_unlock(&queue.lock);
#if BUG == 2
    if (!empty)
        *item = queue.ring[head % CAPACITY]; // BUG: head has moved on, so the owner may have used the slot again
#endif
    return !empty;
}

static void take(int item) {
    int before = atomic_fetch_add(&taken[item], 1);
    assert(before == 0);
}

static void *thief(void *unused) {
    int item;
    for (int tries = 0; tries < 2; tries++)
        if (steal(&item))
            take(item);
    return unused;
}

int main(void) {
    pthread_t thieves[THREADS - 1];
    int item;
    for (int i = 0; i < THREADS - 1; i++)
        pthread_create(&thieves[i], NULL, thief, NULL);
    for (int i = 0; i < ITEMS; i++)
        while (!push(i))
            if (pop(&item))
                take(item);
    while (pop(&item))
        take(item);
    for (int i = 0; i < THREADS - 1; i++)
        pthread_join(thieves[i], NULL);
    for (int i = 0; i < ITEMS; i++)
        assert(taken[i] == 1);
    return 0;
}
