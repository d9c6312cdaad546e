/*
 * Merge sort that starts a thread for one half while threads are available, and sorts it itself if not.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "MergeSort" and "Loader"
 * Size: COUNT=8 AVAILABLE=2
 * Bug 1: a thread tests how many are available and takes one in two steps; too many run (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef COUNT
#define COUNT 8
#endif
#ifndef AVAILABLE
#define AVAILABLE 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int available = AVAILABLE;
static int data[COUNT];

struct part {
    int *from;
    int count;
};

static bool take_thread(void) {
    pthread_mutex_lock(&lock);
    bool taken = available > 0;
#if BUG == 1
    pthread_mutex_unlock(&lock); /* seeded bug: another thread may take the last one here */
    pthread_mutex_lock(&lock);
#endif
    if (taken) {
        available--;
        assert(available >= 0);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

static void give_thread_back(void) {
    pthread_mutex_lock(&lock);
    available++;
    pthread_mutex_unlock(&lock);
}

static void merge(int *from, int half, int count) {
    int merged[COUNT];
    for (int i = 0, left = 0, right = half; i < count; i++) {
        bool takes_left = right == count || (left < half && from[left] <= from[right]);
        merged[i] = from[takes_left ? left++ : right++];
    }
    memcpy(from, merged, sizeof(*from) * (size_t)count);
}

static void *sort(void *arg) {
    const struct part *part = arg;
    if (part->count > 1) {
        int half = part->count / 2;
        struct part left = {part->from, half}, right = {part->from + half, part->count - half};
        if (part->count > 2 && take_thread()) {
            pthread_t thread;
            pthread_create(&thread, NULL, sort, &left);
            sort(&right);
            pthread_join(thread, NULL);
            give_thread_back();
        } else {
            sort(&left);
            sort(&right);
        }
        merge(part->from, half, part->count);
    }
    return NULL;
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        data[i] = i * 5 % COUNT;
    }
    sort(&(struct part){data, COUNT});
    for (int i = 0; i < COUNT; i++) {
        assert(data[i] == i);
    }
    assert(available == AVAILABLE);
    return 0;
}
