/*
 * aba.c - three threads take two slots from a lock-free stack of three and put them back in the same order. A
 * thread that is delayed between its read of the top's link and its exchange of the top can find the same top
 * again, whose link has changed meanwhile: then two threads own one slot.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SLOTS = 3, THREADS = 3, NONE = -1 };

static atomic_int top, link_of[SLOTS], owned[SLOTS];

static int take(void) {
    int mine = atomic_load(&top);
    while (mine != NONE) {
        int next = atomic_load(&link_of[mine]);
        if (atomic_compare_exchange_strong(&top, &mine, next)) {
            assert(atomic_exchange(&owned[mine], 1) == 0);
            return mine;
        }
    }
    return NONE;
}

static void give_back(int mine) {
    if (mine == NONE)
        return;
    atomic_store(&owned[mine], 0);
    int under = atomic_load(&top);
    do
        atomic_store(&link_of[mine], under);
    while (!atomic_compare_exchange_strong(&top, &under, mine));
}

static void *use(void *arg) {
    int first = take();
    int second = take();
    give_back(first);
    give_back(second);
    return arg;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < SLOTS; i++)
        link_of[i] = i + 1 < SLOTS ? i + 1 : NONE;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
