/*
 * File system model: every thread writes to an inode, which gets a block that is not in use the first time.
 *
 * Suite: icb
 * Published: ICB Table 1 and 2, "File System Model" (after Flanagan and Godefroid); no bug
 * Size: THREADS=3 INODES=2 BLOCKS=2 (thread i writes to inode i modulo INODES; BLOCKS is at least INODES)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef INODES
#define INODES 2
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

enum { NO_BLOCK = 0 };

static struct {
    pthread_mutex_t lock;
    int block; // the number of its block + 1, or NO_BLOCK
} inodes[INODES];

static struct {
    pthread_mutex_t lock;
    bool in_use;
} blocks[BLOCKS];

// The search for a block begins at a place that depends on the inode, so that inodes seldom meet.
static int allocate_block(int inode) {
    for (int block = inode * 2 % BLOCKS;; block = (block + 1) % BLOCKS) {
        pthread_mutex_lock(&blocks[block].lock);
        bool found = !blocks[block].in_use;
        blocks[block].in_use = true;
        pthread_mutex_unlock(&blocks[block].lock);
        if (found)
            return block;
    }
}

static void *write_file(void *argument) {
    int inode = (int)(intptr_t)argument % INODES;
    pthread_mutex_lock(&inodes[inode].lock);
    if (inodes[inode].block == NO_BLOCK)
        inodes[inode].block = allocate_block(inode) + 1;
    pthread_mutex_unlock(&inodes[inode].lock);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inodes[i].lock, NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&blocks[i].lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, write_file, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int used = 0, owned = 0;
    for (int i = 0; i < BLOCKS; i++)
        used += blocks[i].in_use;
    for (int i = 0; i < INODES; i++) {
        owned += inodes[i].block != NO_BLOCK;
        for (int j = 0; j < i; j++)
            assert(inodes[i].block == NO_BLOCK || inodes[i].block != inodes[j].block);
    }
    assert(used == owned);
    return 0;
}
