// A server thread and two clients over TCP on the loopback.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at;

static void *client(void *arg) {
    char c = *(char *)arg, got = 0;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(s, (struct sockaddr *)&at, sizeof at) == 0);
    assert(write(s, &c, 1) == 1);
    assert(read(s, &got, 1) == 1 && got == c + 1);
    assert(read(s, &got, 1) == 0);
    close(s);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    char names[2] = {'a', 'p'};
    socklen_t n = sizeof at;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(bind(l, (struct sockaddr *)&at, sizeof at) == 0 && listen(l, 4) == 0);
    assert(getsockname(l, (struct sockaddr *)&at, &n) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, &names[i]);
    for (int i = 0; i < 2; i++) {
        char c;
        int s = accept(l, NULL, NULL);
        assert(s >= 0 && read(s, &c, 1) == 1);
        c++;
        assert(write(s, &c, 1) == 1);
        close(s);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
