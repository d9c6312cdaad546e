// Two clients share one connection and take the reply that comes first.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *client(void *arg) {
    char mine = *(char *)arg, got = 0;
    (void)!send(ends[0], &mine, 1, 0);
    (void)!recv(ends[0], &got, 1, 0);
    assert(got == mine); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t t[2];
    char names[2] = {'a', 'b'}, c;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, &names[i]);
    for (int i = 0; i < 2; i++) {
        (void)!read(ends[1], &c, 1);
        (void)!write(ends[1], &c, 1);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
