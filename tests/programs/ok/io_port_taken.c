// A port that is taken is taken: for datagrams, and for connections from the time when a socket listens.
// RADDLE: -s random --seed 1 -n 20
// EXPECT: none
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in loopback(in_port_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* Binds two sockets to one port that the kernel chose. Returns whether the second one was refused. */
static int is_taken(int type) {
    int one = socket(AF_INET, type, 0), two = socket(AF_INET, type, 0);
    struct sockaddr_in at = loopback(0);
    socklen_t n = sizeof at;
    assert(bind(one, (struct sockaddr *)&at, sizeof at) == 0);
    assert(type == SOCK_DGRAM || listen(one, 1) == 0);
    assert(getsockname(one, (struct sockaddr *)&at, &n) == 0);
    int r = bind(two, (struct sockaddr *)&at, sizeof at);
    int refused = r == -1 && errno == EADDRINUSE;
    close(one);
    close(two);
    return refused;
}

/* The same with a port that the program chose: both sockets are bound to it by its number. */
static int is_taken_by_number(void) {
    int first = socket(AF_INET, SOCK_DGRAM, 0), again = socket(AF_INET, SOCK_DGRAM, 0);
    int other = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = loopback(0);
    socklen_t n = sizeof at;
    assert(bind(first, (struct sockaddr *)&at, sizeof at) == 0);
    assert(getsockname(first, (struct sockaddr *)&at, &n) == 0);
    close(first); /* free again */
    int one = bind(again, (struct sockaddr *)&at, sizeof at), two = bind(other, (struct sockaddr *)&at, sizeof at);
    int refused = two == -1 && errno == EADDRINUSE;
    close(again);
    close(other);
    return refused || one != 0; /* another process may have taken it in between */
}

static void *datagrams(void *arg) {
    assert(is_taken(SOCK_DGRAM));
    assert(is_taken_by_number());
    return arg;
}

static void *connections(void *arg) {
    assert(is_taken(SOCK_STREAM));
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, datagrams, NULL);
    pthread_create(&b, NULL, connections, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
