/*
 * stack.c - three threads take slots from a lock-free stack of three and put them back, twice each. A thread that
 * takes the top marks its link as taken, so that no other thread can use the slot behind it. The mark does not keep
 * out a thread that is delayed between its read of the link and its exchange of the top while the same slot is
 * taken and put back: two threads then own one slot. The shortest such schedule needs several preemptions, in three
 * threads.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SLOTS = 3, THREADS = 3, ROUNDS = 2, NONE = -1 };

struct slot {
    atomic_int link;
    volatile int owner;
};

static struct slot slot[SLOTS];
static atomic_int top, left;

static int try_take(void) {
    while (atomic_load(&left) > 1) {
        int mine = atomic_load(&top), expected = mine;
        int link = atomic_exchange(&slot[mine].link, NONE);
        if (link == NONE) {
            sched_yield();
        } else if (atomic_compare_exchange_strong(&top, &expected, link)) {
            atomic_fetch_sub(&left, 1);
            return mine;
        } else {
            atomic_exchange(&slot[mine].link, link);
        }
    }
    return NONE;
}

static void give_back(int mine) {
    int under = atomic_load(&top);
    do
        atomic_store(&slot[mine].link, under);
    while (!atomic_compare_exchange_strong(&top, &under, mine));
    atomic_fetch_add(&left, 1);
}

static void *use(void *arg) {
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int mine;
        while ((mine = try_take()) == NONE)
            sched_yield();
        slot[mine].owner = me;
        assert(slot[mine].owner == me);
        give_back(mine);
    }
    return arg;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < SLOTS; i++)
        slot[i].link = i + 1 < SLOTS ? i + 1 : NONE;
    left = SLOTS;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, use, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
