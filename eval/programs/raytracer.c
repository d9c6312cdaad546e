/*
 * Ray tracer: threads render the lines of a picture of spheres and add what they saw to one checksum.
 *
 * Suite: rapos, rank
 * Published: "raytracer" of Java Grande, whose checksum is a known bug; RankChecker Tables 3 and 4 (computing)
 * Size: THREADS=2 WIDTH=12 HEIGHT=12 SPHERES=4
 * Bug 1: each thread adds under a lock of its own; the checksum loses a sum; a race, too (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef WIDTH
#define WIDTH 12
#endif
#ifndef HEIGHT
#define HEIGHT 12
#endif
#ifndef SPHERES
#define SPHERES 4
#endif

struct vector {
    double x, y, z;
};

struct sphere {
    struct vector centre;
    double radius, brightness;
};

struct renderer {
    pthread_mutex_t lock; /* the published bug: a lock of the renderer, not of the checksum */
    int first_line;
};

static struct sphere scene[SPHERES];
static struct renderer renderer[THREADS];
static pthread_mutex_t checksum_lock = PTHREAD_MUTEX_INITIALIZER;
static long checksum;

static double dot(struct vector a, struct vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* The square root by Newton's method: the program needs no library for it. */
static double root(double x) {
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 20; i++) {
        r = (r + x / r) / 2;
    }
    return r;
}

/* The distance at which the ray from the origin in direction d, of length 1, meets the sphere; or -1. */
static double meet(const struct sphere *s, struct vector d) {
    double along = dot(s->centre, d);
    double inside = s->radius * s->radius - dot(s->centre, s->centre) + along * along;
    return along > 0 && inside > 0 ? along - root(inside) : -1;
}

static long pixel(int column, int line) {
    struct vector d = {(column + 0.5) / WIDTH - 0.5, (line + 0.5) / HEIGHT - 0.5, 1};
    double scale = 1 / root(dot(d, d)), nearest = 1e9, light = 0;
    d = (struct vector){d.x * scale, d.y * scale, d.z * scale};
    for (int i = 0; i < SPHERES; i++) {
        double distance = meet(&scene[i], d);
        if (distance > 0 && distance < nearest) {
            struct vector n = {(distance * d.x - scene[i].centre.x) / scene[i].radius,
                               (distance * d.y - scene[i].centre.y) / scene[i].radius,
                               (distance * d.z - scene[i].centre.z) / scene[i].radius};
            double facing = -dot(n, d);
            nearest = distance;
            light = scene[i].brightness * (facing > 0 ? facing : 0);
        }
    }
    return (long)(light * 255);
}

/* Renders the lines first, first + step ... and returns their checksum. */
static long render(int first, int step) {
    long line_sum[HEIGHT], sum = 0;
    for (int line = first; line < HEIGHT; line += step) {
        line_sum[line] = 0;
        for (int column = 0; column < WIDTH; column++) {
            line_sum[line] += pixel(column, line);
        }
        sum += line_sum[line];
    }
    return sum;
}

static void *run(void *arg) {
    struct renderer *r = arg;
    long sum = render(r->first_line, THREADS);
    pthread_mutex_t *lock = &checksum_lock;
#if BUG == 1
    lock = &r->lock; /* seeded bug: the wrong lock */
#endif
    pthread_mutex_lock(lock);
    checksum += sum;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < SPHERES; i++) {
        scene[i] = (struct sphere){{(i % 2) - 0.4, (i / 2 % 2) - 0.6, 3 + i}, 0.8, 0.4 + 0.1 * (i % 6)};
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&renderer[i].lock, NULL);
        renderer[i].first_line = i;
        pthread_create(&thread[i], NULL, run, &renderer[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(checksum == render(0, 1));
    return 0;
}
