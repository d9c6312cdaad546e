// variables.c - variables of every kind, for test_variables.py. The lost update of `counter` is a bug.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct {
    pthread_mutex_t lock;
    struct node *head;
    int length;
} queue = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
static int counter, many[100];
static atomic_int hits;
static struct { int x, y; } table[4];
static long *zeroed, *grown;
static int *aligned;

static void push(int value) {
    struct node *n = malloc(sizeof *n); /* NODE */
    n->value = value;
    pthread_mutex_lock(&queue.lock);
    n->next = queue.head;
    queue.head = n;
    queue.length++;
    pthread_mutex_unlock(&queue.lock);
}

static void *worker(void *arg) {
    static int calls;
    calls++;
    for (int i = 0; i < 3; i++)
        push(i);
    counter++;
    zeroed[1]++;
    grown[5]++;
    aligned[0]++;
    table[2].y++;
    table[*(int *)arg].x++;
    atomic_fetch_add(&hits, 1);
    for (int i = 0; i < 100; i++)
        many[i]++;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    int number[2] = {0, 1};
    (void)argv;
    push(0);
    zeroed = calloc(2, sizeof *zeroed);             /* CALLOC */
    grown = realloc(malloc(16), 6 * sizeof *grown); /* REALLOC */
    aligned = aligned_alloc(64, 64);                /* ALIGNED */
    *aligned = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(argc > 1 || counter == 2);
    return 0;
}
