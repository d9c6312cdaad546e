// sem_trywait takes a unit or returns EAGAIN; two threads ask for one unit.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t seats;
static int seated[2];

static void *guest(void *arg) {
    if (sem_trywait(&seats) == 0)
        *(int *)arg = 1;
    else
        assert(errno == EAGAIN);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int left = -1;
    sem_init(&seats, 0, 1);
    pthread_create(&t[0], NULL, guest, &seated[0]);
    pthread_create(&t[1], NULL, guest, &seated[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    sem_getvalue(&seats, &left);
    assert(seated[0] + seated[1] == 1 && left == 0);
    return sem_destroy(&seats);
}
