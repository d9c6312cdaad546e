/*
 * statements.c - programs for generate.py: threads use private memory, memory that they hand over, and memory that
 * they share. A program is a list of statements for each thread, on the command line: `0,5,6 9,10`. The arguments
 * of a program are always shared, so that reading the next statement is a point. With a + before the first list the
 * threads read copies of their own instead: then there need not be a point between two statements.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };

struct frame {
    int x, y, list[4];
    char text[16];
    int *block; /* a heap block that only this thread knows */
    int *known; /* a heap block that other threads know, too */
    atomic_int counter;
};

static int G[2], R[THREADS + 1];
static int *P[2];
static _Atomic(int *) flag;
static atomic_int told;
static struct frame *frames[THREADS];
static __thread int own;
static int *owns[THREADS];
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t end;
static int results[THREADS][2];
static char *programs[THREADS];
static int count;

static int *other_block(int v) {
    pthread_mutex_lock(&lock[v]);
    int *p = P[v];
    P[v] = NULL;
    pthread_mutex_unlock(&lock[v]);
    return p;
}

static void *child(void *arg) {
    int *list = arg;
    list[0] = G[0];
    list[1]++;
    return NULL;
}

/* Uses the memory that it was given, and makes it known to other threads. */
static void *child_tells(void *arg) {
    int *block = arg;
    block[1] += block[0];
    P[0] = &block[1];
    return NULL;
}

static void *child_hands_on(void *arg) {
    pthread_t t;
    int *list = arg;
    list[2]++;
    pthread_create(&t, NULL, child, list);
    pthread_join(t, NULL);
    list[3] = list[1];
    return NULL;
}

/* A thread and the threads that it creates. */
static void creation(int s, struct frame *f) {
    int *block = calloc(6, sizeof(int));
    pthread_t t, u;
    block[0] = f->x;
    switch (s) {
    case 34: /* a block for a child */
        pthread_create(&t, NULL, child, block);
        pthread_join(t, NULL);
        f->y += block[0] + block[1];
        break;
    case 35: /* … which its creator uses, too */
        pthread_create(&t, NULL, child, block);
        block[0] += 3;
        pthread_join(t, NULL);
        f->y += block[0];
        break;
    case 36: /* two children; the memory that the first leaves behind is read while the second runs */
        pthread_create(&t, NULL, child, block);
        pthread_create(&u, NULL, child, block + 4);
        pthread_join(t, NULL);
        f->y += block[1];
        pthread_join(u, NULL);
        f->y += block[4];
        break;
    case 37:
        pthread_create(&t, NULL, child_tells, block);
        pthread_join(t, NULL);
        block[1] += 2;
        block = NULL; /* other threads may have the block now */
        break;
    case 38:
        pthread_create(&t, NULL, child_hands_on, block);
        pthread_join(t, NULL);
        f->y += block[3];
        break;
    case 39: /* one child after the other */
        pthread_create(&t, NULL, child, block);
        pthread_join(t, NULL);
        pthread_create(&t, NULL, child, block);
        pthread_join(t, NULL);
        f->y += block[1];
        break;
    }
    free(block);
}

static void memory(int s, struct frame *f, int me) {
    int o = (me + 1) % count;
    switch (s) {
    case 0:
        f->x++;
        break;
    case 1:
        f->y = f->x * 2;
        break;
    case 2:
        G[0] = f->x + 1;
        break;
    case 3:
        f->x += G[0];
        break;
    case 4:
        G[1] += 2;
        break;
    case 5:
        frames[me] = f;
        break;
    case 6:
        if (frames[o])
            f->y += frames[o]->x;
        break;
    case 7:
        if (frames[o])
            frames[o]->y = 7;
        break;
    case 8:
        f->block = malloc(sizeof(int));
        *f->block = 5;
        break;
    case 9:
        if (f->block)
            P[0] = f->known = f->block;
        break;
    case 10:
        if (P[0])
            f->x += *P[0];
        break;
    case 11:
        if (P[0])
            *P[0] += 3;
        break;
    case 12:
        if (f->known)
            *f->known += 1;
        break;
    case 13:
        if (f->block)
            *f->block += 1;
        break;
    case 14:
        memcpy(f->list, G, sizeof G);
        f->y += f->list[1];
        break;
    case 15:
        memset(G, 1, sizeof(int));
        break;
    case 16:
        own += 3;
        f->x += own;
        break;
    case 17:
        owns[me] = &own;
        break;
    case 18:
        if (owns[o])
            f->y += *owns[o];
        break;
    case 19:
        R[me + 1] += f->x;
        break;
    case 20:
        f->y += R[o + 1];
        break;
    }
}

static void synchronised(int s, struct frame *f) {
    int *p;
    pthread_t t;
    switch (s) {
    case 21:
        pthread_mutex_lock(&lock[0]);
        G[0]++;
        pthread_mutex_unlock(&lock[0]);
        break;
    case 22:
        pthread_mutex_lock(&lock[1]);
        G[1] += f->x;
        pthread_mutex_unlock(&lock[1]);
        break;
    case 23: /* hands the block over */
        pthread_mutex_lock(&lock[1]);
        P[1] = f->block;
        f->block = NULL;
        pthread_mutex_unlock(&lock[1]);
        break;
    case 24:
        if ((p = other_block(1))) {
            *p += 2;
            f->y += *p;
        }
        break;
    case 25:
        if ((p = other_block(1))) {
            f->y += *p;
            free(p);
        }
        break;
    case 26:
        if (f->block)
            atomic_store_explicit(&flag, f->block, memory_order_release);
        break;
    case 27:
        if ((p = atomic_load_explicit(&flag, memory_order_acquire)))
            f->x += *p;
        break;
    case 28:
        atomic_fetch_add(&f->counter, 1);
        f->x += atomic_load(&f->counter);
        break;
    case 29:
        snprintf(f->text, sizeof f->text, "%d", G[0]);
        f->y += atoi(f->text);
        break;
    case 30: /* hands part of this thread's stack over to a child */
        f->list[1] = 4;
        pthread_create(&t, NULL, child, f->list);
        f->x++;
        pthread_join(t, NULL);
        f->y += f->list[0] + f->list[1];
        break;
    case 31:
        pthread_mutex_lock(&lock[0]);
        pthread_mutex_lock(&lock[1]);
        G[1]++;
        pthread_mutex_unlock(&lock[1]);
        pthread_mutex_unlock(&lock[0]);
        break;
    case 32:
        pthread_mutex_lock(&lock[1]);
        pthread_mutex_lock(&lock[0]);
        G[0]++;
        pthread_mutex_unlock(&lock[0]);
        pthread_mutex_unlock(&lock[1]);
        break;
    case 33:
        free(f->block);
        f->block = NULL;
        break;
    }
}

/* The ends of an execution that no operation precedes. Which one comes depends on memory that others may write. */
static void failure(int s, struct frame *f) {
    int *block = f->block;
    switch (s) {
    case 40:
        assert(f->x != 2);
        assert(f->y != 2);
        break;
    case 41:
        if (G[0] == 1)
            abort();
        break;
    case 42: /* a null pointer */
        *(volatile int *)(G[1] % 3 == 2 ? NULL : &f->x) += 1;
        break;
    case 43: /* a use after free */
        if (block) {
            free(f->block);
            f->block = NULL;
            if (f->x & 1)
                *(volatile int *)block = 1;
        }
        break;
    case 44: /* a double free */
        if (block) {
            free(block);
            if (f->y & 1)
                free(block);
            f->block = NULL;
        }
        break;
    case 45:
        if (f->x > 2)
            pthread_join(pthread_self(), NULL);
        break;
    case 46:
        if (f->x + f->y > 6)
            exit(3);
        break;
    case 48: /* the execution ends here in any case: another thread uses the same memory only if it comes first */
        assert(G[0] != 0);
        assert(G[0] != 1);
        assert(!"G[0] is greater");
        break;
    case 49:
        *(volatile int *)(G[1] == 0 ? 8L : 0L) = 1;
        break;
    case 50:
        free(f->block);
        f->block = malloc(4);
        *f->block = G[0] + G[1];
        if (*f->block == 2)
            free(f->block);
        free(f->block);
        *(volatile int *)f->block = 1;
        break;
    case 51:
        atomic_store(&told, 1);
        break;
    case 52: /* uses what the thread that told it is about to use */
        if (atomic_load(&told))
            G[0] = G[1] = 1;
        break;
    case 47: /* a crash in the C library */
        if (f->x > 3)
            f->y += (int)strlen((const char *)(long)f->y);
        break;
    }
}

static void *body(void *arg) {
    int me = (int)(long)arg;
    struct frame f = {.x = me + 1};
    const char *at = programs[me];
    while (*at) {
        char *rest;
        int s = (int)strtol(at, &rest, 10);
        if (s <= 20)
            memory(s, &f, me);
        else if (s >= 40)
            failure(s, &f);
        else if (s >= 34)
            creation(s, &f);
        else
            synchronised(s, &f);
        at = *rest == ',' ? rest + 1 : rest;
    }
    pthread_barrier_wait(&end); /* the stacks stay as long as any thread may read them */
    results[me][0] = f.x;
    results[me][1] = f.y;
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t[THREADS];
    count = argc - 1;
    pthread_barrier_init(&end, NULL, (unsigned)count);
    bool copies = *argv[1] == '+';
    for (int i = 0; i < count; i++)
        programs[i] = copies ? strdup(argv[i + 1] + (i == 0)) : argv[i + 1];
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, body, (void *)(long)i);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    printf("%d %d", G[0], G[1]);
    for (int i = 0; i < count; i++)
        printf(" %d,%d,%d", results[i][0], results[i][1], R[i + 1]);
    if (P[0])
        printf(" %d", *P[0]);
    return 0;
}
