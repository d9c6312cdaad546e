// Datagrams between threads over the loopback, with and without a connection.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int server;
static struct sockaddr_in at;

static void *client(void *arg) {
    char got[4] = "";
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(bind(s, (struct sockaddr *)&any, sizeof any) == 0);
    assert(sendto(s, "ab", 2, 0, (struct sockaddr *)&at, sizeof at) == 2);
    assert(connect(s, (struct sockaddr *)&at, sizeof at) == 0);
    assert(recv(s, got, sizeof got, 0) == 2 && got[0] == 'b' && got[1] == 'a');
    close(s);
    return arg;
}

int main(void) {
    pthread_t t[2];
    socklen_t n = sizeof at;
    at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server = socket(AF_INET, SOCK_DGRAM, 0);
    assert(bind(server, (struct sockaddr *)&at, sizeof at) == 0);
    assert(getsockname(server, (struct sockaddr *)&at, &n) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in from;
        char c[8], back[2];
        n = sizeof from;
        assert(recvfrom(server, c, sizeof c, 0, (struct sockaddr *)&from, &n) == 2 && n == sizeof from);
        back[0] = c[1];
        back[1] = c[0];
        assert(sendto(server, back, 2, 0, (struct sockaddr *)&from, n) == 2);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
