/*
 * montecarlo.c - the price of an Asian call option: paths of a geometric Brownian motion with antithetic pairs, in
 * batches that the threads take from a shared counter; sums are added under a lock.
 */
#include "compute.h"

#include <math.h>

enum { DAYS = 64, BATCH = 250 };

static struct market { double spot, strike, rate, volatility, years; } market = {100, 100, 0.05, 0.2, 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_batch, batches;
static double sum, sum_squares;
static long paths;

static double normal(uint64_t *s) {
    double u = 1 - next_uniform(s), v = next_uniform(s);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double payoff(const double *walk, double sign) {
    double dt = market.years / DAYS, price = market.spot, total = 0;
    double drift = (market.rate - market.volatility * market.volatility / 2) * dt;
    for (int day = 0; day < DAYS; day++) {
        price *= exp(drift + sign * market.volatility * sqrt(dt) * walk[day]);
        total += price;
    }
    double gain = total / DAYS - market.strike;
    return gain > 0 ? gain * exp(-market.rate * market.years) : 0;
}

static void price_batch(int batch) {
    uint64_t seed = (uint64_t)batch * 7919;
    double walk[DAYS], s = 0, s2 = 0;
    for (int i = 0; i < BATCH; i++) {
        for (int day = 0; day < DAYS; day++)
            walk[day] = normal(&seed);
        double value = (payoff(walk, 1) + payoff(walk, -1)) / 2;
        s += value;
        s2 += value * value;
    }
    pthread_mutex_lock(&lock);
    sum += s;
    sum_squares += s2;
    paths += BATCH;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        int batch = next_batch++;
        pthread_mutex_unlock(&lock);
        if (batch >= batches)
            return NULL;
        price_batch(batch);
    }
}

int main(int argc, char **argv) {
    batches = (int)(120 * scale_of(argc, argv));
    run_threads(work);
    if (paths != (long)batches * BATCH)
        return 1;
    return check("price", sum / (double)paths, 5.5, 6.1);
}
