/* named_code.h - the functions and variables that a strategy names (method=f,g; var=x; trust=f_*). */
#ifndef RD_CLI_RUN_NAMED_CODE_H
#define RD_CLI_RUN_NAMED_CODE_H

#include "trace/profile.h"
#include "drive/process/target.h"
#include "search/search.h"
#include "trace/config.h"

/* Looks them up in the program and notes in the configuration where they are. False after a message: one is not
 * there. */
bool rd_names_find(struct rd_config *c, const struct rd_params *params, const char *program);
/* The same for one name that is not the strategy's. */
bool rd_names_add(struct rd_config *c, const char *program, const char *name, enum rd_names list);
/* The program's global and static variables, for its profile. */
void rd_names_globals(struct rd_profile *p, const char *program);
/* What the race detector has to know of the program's code, as its file tells. */
void rd_names_for_races(struct rd_target *t);

/* As rd_target_open, with what the debug information says of its main(). */
int rd_names_target(struct rd_target *t, char **args, struct rd_error *error);

#endif
