/*
 * focus_option.h - the option --focus var=NAME,... or function=NAME,...: preemptions happen only at these variables
 * and in these functions.
 */
#ifndef RD_CLI_RUN_FOCUS_OPTION_H
#define RD_CLI_RUN_FOCUS_OPTION_H

#include "drive/session.h"
#include "search/search.h"

struct rd_focus_option {
    struct {
        bool function; /* the name of a function, not of a variable or a block of the heap */
        char name[256];
    } at[RD_RANGES_MAX];
    uint32_t count;
    char words[512]; /* the names for the report: "at 'x', 'y' and in 'f'"; "": there are none */
};

/* Adds the names in one value of the option. False after a message. */
bool rd_focus_option_add(struct rd_focus_option *f, const char *value);
/*
 * Looks the names up in the program and adds their ranges to the session's configuration. To find blocks of the
 * heap it runs the program once. False after a message.
 */
bool rd_focus_option_find(struct rd_focus_option *f, struct rd_session *s);

#endif
