/* hashset.c - a hash set with chains, of a fixed number of buckets. */
#include "quiet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { BUCKETS = 4 };

struct node {
    struct node *next;
    int value;
};

struct items {
    struct node *bucket[BUCKETS];
    int count;
};

QUIET static struct node *make(int value) {
    struct node *n = malloc(sizeof(*n));
    if (!n) {
        abort();
    }
    *n = (struct node){.value = value};
    return n;
}

/* The address of the pointer to the value's node; of a null pointer if the value is missing. */
static struct node **find(struct items *s, int value) {
    struct node **at = &s->bucket[(unsigned)value * 2654435761U >> 30];
    while (*at && (*at)->value != value) {
        at = &(*at)->next;
    }
    return at;
}

static bool items_add(struct items *s, int value) {
    struct node **at = find(s, value);
    if (*at) {
        return false;
    }
    *at = make(value);
    s->count++;
    return true;
}

static bool items_remove(struct items *s, int value) {
    struct node **at = find(s, value), *n = *at;
    if (!n) {
        return false;
    }
    *at = n->next;
    s->count--;
    free(n);
    return true;
}

static bool items_contain(struct items *s, int value) { return *find(s, value) != NULL; }

static void items_clear(struct items *s) {
    for (int i = 0; i < BUCKETS && s->count > 0; i++) {
        while (s->bucket[i]) {
            struct node *n = s->bucket[i];
            s->bucket[i] = n->next;
            s->count--;
            free(n);
        }
    }
}

static void items_each(const struct items *s, void (*visit)(void *, int), void *arg) {
    for (int i = 0; i < BUCKETS; i++) {
        for (const struct node *n = s->bucket[i]; n; n = n->next) {
            visit(arg, n->value);
        }
    }
}

#include "driver.h"
