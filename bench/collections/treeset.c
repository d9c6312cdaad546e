/* treeset.c - an unbalanced binary search tree: the next larger node takes the place of a removed one. */
#include "quiet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    struct node *left, *right;
    int value;
};

struct items {
    struct node *root;
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
static struct node **find(struct items *t, int value) {
    struct node **at = &t->root;
    while (*at && (*at)->value != value) {
        at = value < (*at)->value ? &(*at)->left : &(*at)->right;
    }
    return at;
}

static bool items_add(struct items *t, int value) {
    struct node **at = find(t, value);
    if (*at) {
        return false;
    }
    *at = make(value);
    return true;
}

static bool items_remove(struct items *t, int value) {
    struct node **at = find(t, value), *n = *at;
    if (!n) {
        return false;
    }
    if (n->left && n->right) {
        struct node **next = &n->right;
        while ((*next)->left) {
            next = &(*next)->left;
        }
        struct node *moved = *next;
        n->value = moved->value;
        *next = moved->right;
        n = moved;
    } else {
        *at = n->left ? n->left : n->right;
    }
    free(n);
    return true;
}

static bool items_contain(struct items *t, int value) { return *find(t, value) != NULL; }

static void clear_below(struct node *n) {
    if (n) {
        clear_below(n->left);
        clear_below(n->right);
        free(n);
    }
}

static void items_clear(struct items *t) {
    clear_below(t->root);
    t->root = NULL;
}

static void each_below(const struct node *n, void (*visit)(void *, int), void *arg) {
    if (n) {
        each_below(n->left, visit, arg);
        visit(arg, n->value);
        each_below(n->right, visit, arg);
    }
}

static void items_each(const struct items *t, void (*visit)(void *, int), void *arg) {
    each_below(t->root, visit, arg);
}

#include "driver.h"
