/* vector.c - an array that grows; a removal moves the later elements up. */
#include "quiet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct items {
    int *value;
    int count, room;
};

static bool items_add(struct items *v, int value) {
    if (v->count == v->room) {
        int room = v->room ? 2 * v->room : 4;
        int *bigger = malloc((size_t)room * sizeof(*bigger));
        if (!bigger) {
            abort();
        }
        for (int i = 0; i < v->count; i++) {
            bigger[i] = v->value[i];
        }
        free(v->value);
        v->value = bigger;
        v->room = room;
    }
    v->value[v->count++] = value;
    return true;
}

static bool items_remove(struct items *v, int value) {
    for (int i = 0; i < v->count; i++) {
        if (v->value[i] == value) {
            for (int k = i + 1; k < v->count; k++) {
                v->value[k - 1] = v->value[k];
            }
            v->count--;
            return true;
        }
    }
    return false;
}

static bool items_contain(const struct items *v, int value) {
    for (int i = 0; i < v->count; i++) {
        if (v->value[i] == value) {
            return true;
        }
    }
    return false;
}

static void items_clear(struct items *v) { v->count = 0; }

static void items_each(const struct items *v, void (*visit)(void *, int), void *arg) {
    for (int i = 0; i < v->count; i++) {
        visit(arg, v->value[i]);
    }
}

#include "driver.h"
