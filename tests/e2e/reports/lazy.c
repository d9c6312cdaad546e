/* Lazy initialisation without a lock: two threads make the configuration, one copy is freed while in use. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum level { QUIET, NORMAL, LOUD };

struct config {
    char name[16];
    enum level level;
    int users;
};

static struct config *current;

static struct config *get(void) {
    if (!current) {
        struct config *made = malloc(sizeof *made);
        strcpy(made->name, "default");
        made->level = NORMAL;
        made->users = 0;
        free(current);
        current = made;
    }
    return current;
}

static void *user(void *level) {
    struct config *c = get();
    c->level = (enum level)(long)level;
    c->users++;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(current);
    return 0;
}
