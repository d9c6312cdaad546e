/* names.h - see names.c. */
#ifndef RD_NAMES_H
#define RD_NAMES_H

#include "search/search.h"

/* Puts the code that the parameters name into the configuration. 0, or an exit status after a message. */
int rd_names_find(struct rd_config *c, const struct rd_params *params, const char *program);

#endif
