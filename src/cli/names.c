/* names.c - what a strategy names (`trust=GLOB,…`) as places in the code of the program. */
#include "cli/finding.h"
#include "cli/names.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* One name of the list. */
static int add(struct rd_config *c, const char *program, const char *pattern) {
    uint32_t room = RD_NAMES_MAX - (uint32_t)c->name_count;
    uint32_t n = rd_symbols_functions(program, pattern, c->names + c->name_count, room);
    if (n == 0)
        return rd_trouble("no function of '%s' has the name '%s'", program, pattern);
    if (n > room)
        return rd_trouble("'%s' is the name of too many functions of '%s' (%u in all, at most %d)", pattern,
                          program, n, RD_NAMES_MAX);
    c->name_count += n;
    return 0;
}

int rd_names_find(struct rd_config *c, const struct rd_params *params, const char *program) {
    c->name_count = 0;
    for (uint32_t i = 0; i < params->count; i++) {
        if (strcmp(params->at[i].key, "trust") != 0)
            continue;
        char list[sizeof params->at[i].value], *rest = list, *name;
        strcpy(list, params->at[i].value);
        while ((name = strsep(&rest, ",")) != NULL) {
            int status = *name ? add(c, program, name) : 0;
            if (status)
                return status;
        }
    }
    return 0;
}
