// Intended races are counted, not reported: declared with raddle.h, and in the older way.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
// OUTPUT: findings were suppressed
#include <pthread.h>
#include <raddle.h>

void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t, const char *) __attribute__((weak));

static int hits, misses;

static void *count(void *arg) {
    hits++;
    misses++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    raddle_benign_race(&hits, sizeof hits);
    if (AnnotateBenignRaceSized)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &misses, sizeof misses, "a statistic");
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
