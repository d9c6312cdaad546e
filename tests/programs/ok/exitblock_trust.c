// Two threads, each with a critical section of its own and two in a trusted log: lock exits of the log end no block.
// RADDLE: -s exitblock:trust=log_*
// EXPECT: none
// OUTPUT: no assertion can fail: every order
// MODE: plain
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static int x, lines;

static void log_line(void) {
    pthread_mutex_lock(&log_lock);
    lines++;
    pthread_mutex_unlock(&log_lock);
}

static void *work(void *arg) {
    log_line();
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    log_line();
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
