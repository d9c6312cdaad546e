/*
 * salesman.c - the shortest round trip through all towns by branch and bound. The threads take first legs from a
 * shared counter and prune with the best length so far, which is read and improved atomically.
 */
#include "compute.h"

#include <math.h>
#include <stdatomic.h>

enum { TOWNS_MAX = 20 };

static int towns, distance[TOWNS_MAX][TOWNS_MAX], nearest[TOWNS_MAX];
static atomic_int best = INT32_MAX;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_leg, legs;
static int best_trip[TOWNS_MAX];
static long improved;

struct trip {
    int at[TOWNS_MAX];
    int count, length, rest; /* rest: the nearest neighbours of the remaining towns */
    int bound;               /* a copy of the best length */
    unsigned seen;
};

static void finish(struct trip *t) {
    int length = t->length + distance[t->at[t->count - 1]][0];
    pthread_mutex_lock(&lock);
    if (length < atomic_load(&best)) {
        atomic_store(&best, length);
        for (int i = 0; i < towns; i++)
            best_trip[i] = t->at[i];
        improved++;
    }
    pthread_mutex_unlock(&lock);
    t->bound = atomic_load(&best);
}

static void visit(struct trip *t) {
    if (t->count == towns) {
        if (t->length + distance[t->at[t->count - 1]][0] < t->bound)
            finish(t);
        return;
    }
    const int *from = distance[t->at[t->count - 1]];
    for (int town = 1; town < towns; town++) {
        int length = t->length + from[town];
        if (t->seen >> town & 1 || length + t->rest >= t->bound)
            continue;
        int before = t->length;
        t->at[t->count++] = town;
        t->seen |= 1u << town;
        t->rest -= nearest[town];
        t->length = length;
        visit(t);
        t->length = before;
        t->rest += nearest[town];
        t->seen &= ~(1u << town);
        t->count--;
    }
}

static void *work(void *arg) {
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        int leg = next_leg++;
        pthread_mutex_unlock(&lock);
        if (leg >= legs)
            return NULL;
        int second = leg / (towns - 1) + 1, third = leg % (towns - 1) + 1;
        if (second == third)
            continue;
        struct trip t = {.at = {0, second, third}, .count = 3, .bound = atomic_load(&best)};
        t.seen = 1u | 1u << second | 1u << third;
        t.length = distance[0][second] + distance[second][third];
        for (int i = 0; i < towns; i++)
            t.rest += t.seen >> i & 1 ? 0 : nearest[i];
        t.rest += nearest[0];
        visit(&t);
    }
}

static int length_of(const int *trip) {
    int length = 0;
    for (int i = 0; i < towns; i++)
        length += distance[trip[i]][trip[(i + 1) % towns]];
    return length;
}

/*
 * Computes a good first trip by reversing parts of a trip, so that pruning hardly depends on the order of the
 * threads.
 */
static void guess(void) {
    for (int i = 0; i < towns; i++)
        best_trip[i] = i;
    for (int better = 1; better;) {
        better = 0;
        for (int from = 1; from < towns; from++)
            for (int to = from + 1; to < towns; to++) {
                int trip[TOWNS_MAX];
                for (int i = 0; i < towns; i++)
                    trip[i] = best_trip[i >= from && i <= to ? from + to - i : i];
                if (length_of(trip) >= length_of(best_trip))
                    continue;
                better = 1;
                for (int i = 0; i < towns; i++)
                    best_trip[i] = trip[i];
            }
    }
    best = length_of(best_trip);
}

int main(int argc, char **argv) {
    uint64_t seed = 3;
    double x[TOWNS_MAX], y[TOWNS_MAX], scale = scale_of(argc, argv);
    towns = scale >= 1 ? 18 : scale >= 0.5 ? 17 : scale >= 0.2 ? 16 : 12;
    for (int i = 0; i < towns; i++) {
        x[i] = next_uniform(&seed) * 1000;
        y[i] = next_uniform(&seed) * 1000;
    }
    for (int i = 0; i < towns; i++) {
        nearest[i] = INT32_MAX;
        for (int j = 0; j < towns; j++) {
            distance[i][j] = (int)hypot(x[i] - x[j], y[i] - y[j]);
            if (j != i && distance[i][j] < nearest[i])
                nearest[i] = distance[i][j];
        }
    }
    legs = (towns - 1) * (towns - 1);
    guess();
    run_threads(work);
    return length_of(best_trip) == best ? check("length", best, 1000, 5000) : 1;
}
