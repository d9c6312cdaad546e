// No leak: every block can be reached through pointers when the program ends, while a thread still waits.
// RADDLE: -s dpor --detect all
// EXPECT: none
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value[4];
};
static struct node *list;
static int *inner; /* not to the start of its block */
static _Thread_local char *mine;
static pthread_key_t key;
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;

static void *wait_for_ever(void *arg) {
    char *local = malloc(30);
    mine = malloc(40);
    pthread_setspecific(key, malloc(50));
    local[0] = (char)(intptr_t)arg;
    pthread_barrier_wait(&ready);
    pthread_mutex_lock(&never);
    free(local);
    return NULL;
}

int main(void) {
    pthread_t a;
    for (int i = 0; i < 3; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->next = list;
        list = n;
    }
    inner = &list->next->value[2];
    mine = malloc(10);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, malloc(20));
    pthread_barrier_init(&ready, NULL, 2);
    pthread_mutex_lock(&never);
    pthread_create(&a, NULL, wait_for_ever, malloc(60));
    pthread_detach(a);
    pthread_barrier_wait(&ready);
    return mine == NULL;
}
