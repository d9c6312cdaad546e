// The server expects two clients; one of them finds that the work is done and does not connect.
// RADDLE: -s dfs
// EXPECT: deadlock
// OUTPUT: accept socket
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at;
static int jobs = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *client(void *arg) {
    pthread_mutex_lock(&lock);
    int mine = jobs > 0 ? jobs-- : 0;
    pthread_mutex_unlock(&lock);
    if (!mine)
        return arg;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&at, sizeof at) == 0)
        close(s);
    return arg;
}

int main(void) {
    pthread_t t[2];
    socklen_t n = sizeof at;
    int l = socket(AF_INET, SOCK_STREAM, 0);
    at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(l, (struct sockaddr *)&at, sizeof at) || listen(l, 4) || getsockname(l, (struct sockaddr *)&at, &n))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++)
        close(accept(l, NULL, NULL)); /* BUG */
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
