/*
 * Concurrent queue without locks: a list of segments, each an array in which threads claim slots with
 * fetch-and-add.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the queue of the parallel library (ConcurrentQueue)
 * Size: THREADS=2 ITEMS=2 (each thread enqueues and dequeues ITEMS items; a segment has SEGMENT=2 slots)
 * Bug 1: dequeue takes a segment that is used up for an empty queue; the next one has items (assertion) (1,1,2)
 * Bug 2: dequeue does not wait until the claimed slot has been filled, and takes no item (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
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
#ifndef SEGMENT
#define SEGMENT 2
#endif

enum { SEGMENTS = THREADS * ITEMS / SEGMENT + 1 };

struct segment {
    atomic_int claimed; // slots that enqueuers have claimed; greater than SEGMENT when some came too late
    atomic_int removed; // slots that dequeuers have claimed
    atomic_bool filled[SEGMENT];
    atomic_int item[SEGMENT];
};

// A segment is never used again: its successor is the next element of the array.
static struct segment segments[SEGMENTS];
static _Atomic(struct segment *) head = segments, tail = segments;

static void enqueue(int item) {
    for (;;) {
        struct segment *segment = tail;
        int slot = atomic_fetch_add(&segment->claimed, 1);
        if (slot < SEGMENT) {
            segment->item[slot] = item;
            segment->filled[slot] = true;
            if (slot == SEGMENT - 1) // the thread with the last slot opens the next segment
                tail = segment + 1;
            return;
        }
        while (tail == segment) // no slot was left: wait for the next segment
            sched_yield();
    }
}

// Removes the item in front of the queue; false if the queue is empty.
static bool dequeue(int *item) {
    for (;;) {
        struct segment *segment = head;
        int slot = segment->removed;
        if (slot == SEGMENT) {
#if BUG == 1
            return false; // BUG: the thread that took the last item has yet to move head; there may be more items
#else
            while (head == segment)
                sched_yield();
            continue;
#endif
        }
        if (slot >= segment->claimed)
            return false;
        if (!atomic_compare_exchange_strong(&segment->removed, &slot, slot + 1))
            continue;
#if BUG != 2 // BUG 2: an enqueuer may have claimed the slot, but not filled it
        while (!segment->filled[slot])
            sched_yield();
#endif
        *item = segment->item[slot];
        if (slot == SEGMENT - 1) {
            while (tail == segment) // the successor is in use only when tail has moved on
                sched_yield();
            head = segment + 1;
        }
        return true;
    }
}

static atomic_int taken[THREADS * ITEMS + 1]; // items are numbered from 1

static void *worker(void *argument) {
    int first = (int)(intptr_t)argument * ITEMS + 1, item;
    for (int i = 0; i < ITEMS; i++)
        enqueue(first + i);
    for (int i = 0; i < ITEMS; i++) {
        // As many items were enqueued as will be dequeued, so this thread finds one.
        bool found = dequeue(&item);
        assert(found);
        assert(item != 0);
        int before = atomic_fetch_add(&taken[item], 1);
        assert(before == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
