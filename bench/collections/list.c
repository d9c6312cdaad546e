/* list.c - a singly linked list: new values are appended, searches begin at the front. */
#include "quiet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct items {
    struct node *first;
};

QUIET static struct node *make(int value) {
    struct node *n = malloc(sizeof(*n));
    if (!n) {
        abort();
    }
    *n = (struct node){.value = value};
    return n;
}

static bool items_add(struct items *l, int value) {
    struct node **at = &l->first;
    while (*at) {
        at = &(*at)->next;
    }
    *at = make(value);
    return true;
}

static bool items_remove(struct items *l, int value) {
    for (struct node **at = &l->first; *at; at = &(*at)->next) {
        struct node *n = *at;
        if (n->value == value) {
            *at = n->next;
            free(n);
            return true;
        }
    }
    return false;
}

static bool items_contain(const struct items *l, int value) {
    for (const struct node *n = l->first; n; n = n->next) {
        if (n->value == value) {
            return true;
        }
    }
    return false;
}

static void items_clear(struct items *l) {
    while (l->first) {
        struct node *n = l->first;
        l->first = n->next;
        free(n);
    }
}

static void items_each(const struct items *l, void (*visit)(void *, int), void *arg) {
    for (const struct node *n = l->first; n; n = n->next) {
        visit(arg, n->value);
    }
}

#include "driver.h"
