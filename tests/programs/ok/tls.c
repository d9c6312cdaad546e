// Thread-local variables belong to their thread across every switch.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

static _Thread_local int mine = 100;
static __thread char text[32];

static void *worker(void *arg) {
    int id = (int)(intptr_t)arg;
    assert(mine == 100 && text[0] == 0);
    for (int i = 1; i <= 4; i++) {
        mine += id;
        snprintf(text, sizeof text, "thread %d", mine);
        sched_yield();
        int seen = 0;
        assert(sscanf(text, "thread %d", &seen) == 1);
        assert(seen == mine && mine == 100 + id * i);
    }
    return &mine;
}

int main(void) {
    pthread_t t[3];
    void *where[3];
    mine = 7;
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], &where[i]);
    assert(mine == 7 && text[0] == 0 && where[0] != &mine);
    return 0;
}
