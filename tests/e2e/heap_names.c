/* Two threads race on one member of a heap block; the argument says by which statement the block is allocated. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long key;
    struct node *next;
    int count;
};

struct list {
    struct node *head;
    int length;
};

typedef struct {
    char tag;
    int count;
} small;

struct open {
    int used;
    int count;
    long rest[];
};

struct other { /* as large as struct node */
    int counters[6];
};

static struct list list;
static struct node *head;

static void *change(void *at) {
    ++*(int *)at;
    return NULL;
}

static void two(int *at) {
    pthread_t a, b;
    pthread_create(&a, NULL, change, at);
    pthread_create(&b, NULL, change, at);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void *checked_malloc(size_t size) {
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

/* Returns no void pointer: what the caller does with it says nothing about the block in here. */
static long *counters_for(struct node *n) {
    void *p = malloc(sizeof(long) * 3);
    n->next = p;
    return p;
}

static void *pick(void *a, void *b) { return a ? a : b; }

/* Functions of their own: a compiler may make one call of equal calls in the branches of one function. */
static __attribute__((noinline)) void by_variable(void) {
    struct node *n = malloc(24);
    two(&n->count);
}

static __attribute__((noinline)) void by_sizeof(void) {
    void *n = malloc(sizeof(struct node));
    two(&((struct node *)n)->count);
}

static __attribute__((noinline)) void by_deref(void) {
    struct node *n;
    n = calloc(1, sizeof *n);
    two(&n->count);
}

static __attribute__((noinline)) void by_member(void) {
    list.head = malloc(sizeof *list.head);
    two(&list.head->count);
}

static __attribute__((noinline)) void by_global(void) {
    head = malloc(24);
    two(&head->count);
}

static __attribute__((noinline)) void by_cast(void) {
    char *n = (char *)(struct node *)malloc(24);
    two(&((struct node *)n)->count);
}

static __attribute__((noinline)) void by_array(void) {
    struct node *n = calloc(4, sizeof(struct node));
    two(&n[2].count);
}

static __attribute__((noinline)) void by_wrapper(void) {
    struct node *n = checked_malloc(sizeof *n);
    two(&n->count);
}

static __attribute__((noinline)) void by_typedef(void) {
    small *s = malloc(sizeof(small));
    two(&s->count);
}

static __attribute__((noinline)) void by_open(void) {
    struct open *o = malloc(sizeof *o + 5 * sizeof o->rest[0]);
    two(&o->count);
}

static __attribute__((noinline)) void by_ints(void) {
    int *numbers = malloc(10 * sizeof(int));
    two(&numbers[7]);
}

static __attribute__((noinline)) void by_unknown(void) { two((int *)pick(malloc(20), NULL) + 2); }

static __attribute__((noinline)) void by_inner(void) {
    struct node *n = (struct node *)counters_for(&(struct node){0});
    two(&n->count);
}

static __attribute__((noinline)) void by_twice(
    void) { /* one statement, two types of the same size: no name may be chosen */
    void *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct other));
    two((int *)a + 4);
    free(b);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"variable", by_variable}, {"sizeof", by_sizeof}, {"deref", by_deref}, {"member", by_member},
                {"global", by_global},     {"cast", by_cast},     {"array", by_array}, {"wrapper", by_wrapper},
                {"typedef", by_typedef},   {"open", by_open},     {"ints", by_ints},   {"unknown", by_unknown},
                {"inner", by_inner},       {"twice", by_twice}};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].run();
    return 0;
}
