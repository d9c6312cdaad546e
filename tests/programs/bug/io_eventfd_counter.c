// The program expects one event for each read of an eventfd; a read returns all at once.
// RADDLE: -s dfs
// EXPECT: deadlock
// OUTPUT: receive eventfd
#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>

static int events;

static void *sender(void *arg) {
    eventfd_write(events, 1);
    eventfd_write(events, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    eventfd_t got;
    events = eventfd(0, 0);
    pthread_create(&t, NULL, sender, NULL);
    for (int i = 0; i < 2; i++)
        eventfd_read(events, &got); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
