/*
 * stages.c N - N threads write a number under one lock, then a number derived from it under another lock; a reader
 * that has seen the first must see the second, too. The program fails only if the reader comes to its second lock
 * before any of the writers has come to theirs.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock_number = PTHREAD_MUTEX_INITIALIZER, lock_next = PTHREAD_MUTEX_INITIALIZER;
static int number, next;

static void *write_both(void *arg) {
    pthread_mutex_lock(&lock_number);
    number = 1;
    pthread_mutex_unlock(&lock_number);
    pthread_mutex_lock(&lock_next);
    next = number + 1;
    pthread_mutex_unlock(&lock_next);
    return arg;
}

static void *read_both(void *arg) {
    pthread_mutex_lock(&lock_number);
    int seen = number;
    pthread_mutex_unlock(&lock_number);
    if (!seen)
        return arg;
    pthread_mutex_lock(&lock_next);
    int after = next;
    pthread_mutex_unlock(&lock_next);
    assert(after == seen + 1);
    return arg;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    pthread_t *writers = malloc((size_t)n * sizeof *writers), reader;
    for (int i = 0; i < n; i++)
        pthread_create(&writers[i], NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(writers[i], NULL);
    pthread_join(reader, NULL);
    free(writers);
    return 0;
}
