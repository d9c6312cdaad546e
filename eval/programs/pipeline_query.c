/*
 * Parallel query: partitions claim elements of a sequence and map them; main merges the results in the first order.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the PLINQ programs (partitioned scan, ordered merge)
 * Size: PARTITIONS=2 ELEMENTS=3 (the buffer of a partition has one slot)
 * Bug 1: the merge takes the least result that is there; a lesser one is still computed (assertion) (0,0,3)
 * Bug 2: a partition says that it is at the end before it delivers its last result (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PARTITIONS
#define PARTITIONS 2
#endif
#ifndef ELEMENTS
#define ELEMENTS 3
#endif

enum { EMPTY = -1 };

static atomic_int next_element; // that no partition has claimed

static struct partition {
    pthread_cond_t taken; // main has taken the result
    int index;            // of the result in the buffer, or EMPTY
    int result;
    bool at_end;
} partitions[PARTITIONS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for all partitions
static pthread_cond_t delivered = PTHREAD_COND_INITIALIZER;

static void deliver(struct partition *self, int index, int result) {
    pthread_mutex_lock(&lock);
    while (self->index != EMPTY)
        pthread_cond_wait(&self->taken, &lock);
    self->index = index;
    self->result = result;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&lock);
}

static void end(struct partition *self) {
    pthread_mutex_lock(&lock);
    self->at_end = true;
    pthread_cond_signal(&delivered);
    pthread_mutex_unlock(&lock);
}

static void *scan(void *argument) {
    struct partition *self = argument;
    int index;
    while ((index = atomic_fetch_add(&next_element, 1)) < ELEMENTS) {
#if BUG == 2
        if (index == ELEMENTS - 1) // BUG: the merge may look before the result is there
            end(self);
#endif
        deliver(self, index, index * index);
    }
    end(self);
    return NULL;
}

/*
 * The results of a partition are in order. So the least of all is known when every partition has one in its buffer
 * or is at the end.
 */
static bool is_known(const struct partition *partition) {
#if BUG == 1
    (void)partition;
    return true; // BUG: the partition may be about to deliver a lesser result
#else
    return partition->index != EMPTY || partition->at_end;
#endif
}

// The partition with the next result; NULL when all are at the end. Waits.
static struct partition *least(void) {
    for (;;) {
        struct partition *first = NULL;
        bool known = true, more = false;
        for (struct partition *each = partitions; each < partitions + PARTITIONS; each++) {
            known &= is_known(each);
            more |= !each->at_end;
            if (each->index != EMPTY && (!first || each->index < first->index))
                first = each;
        }
        if (first && known)
            return first;
        if (!first && !more)
            return NULL;
        pthread_cond_wait(&delivered, &lock);
    }
}

static int merge(void) {
    struct partition *first;
    int count = 0;
    pthread_mutex_lock(&lock);
    while ((first = least())) {
        assert(first->index == count && first->result == count * count); // the order of the sequence
        count++;
        first->index = EMPTY;
        pthread_cond_signal(&first->taken);
    }
    pthread_mutex_unlock(&lock);
    return count;
}

int main(void) {
    pthread_t threads[PARTITIONS];
    for (int i = 0; i < PARTITIONS; i++) {
        pthread_cond_init(&partitions[i].taken, NULL);
        partitions[i].index = EMPTY;
    }
    for (int i = 0; i < PARTITIONS; i++)
        pthread_create(&threads[i], NULL, scan, &partitions[i]);
    int count = merge();
    for (int i = 0; i < PARTITIONS; i++)
        pthread_join(threads[i], NULL);
    assert(count == ELEMENTS);
    return 0;
}
