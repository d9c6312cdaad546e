/*
 * named_code.h - looks up the functions and variables that the user names on the command line (method=f,g; var=x;
 * trust=f_*; --focus).
 */
#ifndef RD_CLI_RUN_NAMED_CODE_H
#define RD_CLI_RUN_NAMED_CODE_H

#include "drive/session.h"
#include "search/search.h"
#include "trace/config.h"

/*
 * Fills the ranges of the configuration with the code and data that the strategy names. False after a message.
 * Functions of trust= and within= can be in libraries, and var= can name blocks of the heap: to learn which
 * libraries the program loads, or where its blocks are, it is run once (profile_once.h).
 */
bool rd_named_code_find(struct rd_config *c, const struct rd_params *params, const struct rd_session *session);
/* Adds the ranges of one more name. False after a message: the program has no such name, or no range is left. */
bool rd_named_code_add(struct rd_config *c, const char *program, const char *name, enum rd_names list);

#endif
