// A recursive walk over a tree; another thread links a node to its ancestor, and the recursion never ends.
// RADDLE: -s dfs
// EXPECT: crash
// TIMES: 20
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct node {
    struct node *child;
};
static struct node leaf, root = {&leaf};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((no_sanitize("thread"))) static int depth(struct node *n) { /* BUG */
    char path[1024];
    memset(path, 0, sizeof path);                  /* BUG */
    return n ? depth(n->child) + 1 + path[17] : 0; /* BUG */
}

static void *walker(void *arg) {
    pthread_mutex_lock(&lock);
    depth(&root); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *binder(void *arg) {
    pthread_mutex_lock(&lock);
    leaf.child = &root;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    pthread_create(&t[0], &small, walker, NULL);
    pthread_create(&t[1], &small, binder, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
