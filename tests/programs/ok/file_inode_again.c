// RADDLE: -s dpor --detect none
// EXPECT: none
// MODE: hooks
// EXECUTIONS: 1
// ORDERS: 1
/*
 * A new file may get the inode number of a deleted one, but is another file: the two threads write to different
 * files, so the order of their writes cannot be observed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int a, b;

static void *write_a(void *arg) {
    return write(a, "a", 1) == 1 ? arg : NULL;
}
static void *write_b(void *arg) {
    return write(b, "b", 1) == 1 ? arg : NULL;
}
static void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t t[2];
    /* Code before the first creation of a thread runs once for all executions. */
    pthread_create(&t[0], NULL, nothing, NULL);
    pthread_join(t[0], NULL);
    unlink("inode-a");
    unlink("inode-b");
    close(creat("inode-a", 0600));
    unlink("inode-a");
    b = creat("inode-b", 0600); /* gets the inode number that the first file had */
    a = creat("inode-a", 0600);
    pthread_create(&t[0], NULL, write_a, NULL);
    pthread_create(&t[1], NULL, write_b, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    unlink("inode-a");
    unlink("inode-b");
    return 0;
}
