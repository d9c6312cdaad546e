/* profile_once.h - one execution of the program before the search, for names that only an execution can explain. */
#ifndef RD_CLI_RUN_PROFILE_ONCE_H
#define RD_CLI_RUN_PROFILE_ONCE_H

#include "drive/session.h"

struct rd_symbols;

/* The result of that execution, and the symbols of all its modules. */
struct rd_profile_once {
    struct rd_session session;
    struct rd_symbols *symbols;
};

/*
 * Runs the program once, with the target, rules and isolation of this session and the strategy `profile`. False
 * after a message. Else rd_profile_once_close ends it.
 */
bool rd_profile_once_open(struct rd_profile_once *p, const struct rd_session *of);
void rd_profile_once_close(struct rd_profile_once *p);

/* Is this the name of a block of the heap, "malloc at list.c:42"? Only an execution tells the addresses of blocks.
 */
bool rd_names_block(const char *name);
/*
 * Adds the ranges of a block to the configuration, as data of this list. False after a message: the execution has
 * allocated no such block, or no range is left.
 */
bool rd_profile_once_block(struct rd_profile_once *p, const char *name, enum rd_names list, struct rd_config *c);

#endif
