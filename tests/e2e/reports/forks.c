/* Three philosophers, each takes the left fork first: all can wait for each other. */
#include <pthread.h>
#include <stdlib.h>

struct table {
    int guests;
    struct seat {
        pthread_mutex_t fork;
        int meals;
    } seats[3];
};

static struct table *table;

static void *philosopher(void *arg) {
    long me = (long)arg;
    struct seat *left = &table->seats[me], *right = &table->seats[(me + 1) % 3];
    pthread_mutex_lock(&left->fork);
    pthread_mutex_lock(&right->fork);
    left->meals++;
    pthread_mutex_unlock(&right->fork);
    pthread_mutex_unlock(&left->fork);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    table = calloc(1, sizeof *table);
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&table->seats[i].fork, NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    free(table);
    return 0;
}
