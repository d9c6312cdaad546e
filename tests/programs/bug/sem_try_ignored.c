// The program ignores the result of sem_trywait.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t seats;

static void *guest(void *arg) {
    int left = -1;
    sem_trywait(&seats);
    *(int *)arg = 1;
    sem_getvalue(&seats, &left);
    assert(left == 0);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int seated[2] = {0, 0};
    sem_init(&seats, 0, 1);
    pthread_create(&t[0], NULL, guest, &seated[0]);
    pthread_create(&t[1], NULL, guest, &seated[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(seated[0] + seated[1] == 1); /* BUG */
    return 0;
}
