/* focus.h - --focus var=NAME,... and --focus function=NAME,...: where preemptions may happen. */
#ifndef RD_CLI_RUN_FOCUS_OPTION_H
#define RD_CLI_RUN_FOCUS_OPTION_H

#include "drive/session.h"
#include "search/search.h"

struct rd_focus {
    struct {
        bool function;
        char name[256];
    } at[RD_RANGES_MAX];
    uint32_t count;
    char words[512]; /* "at 'x', 'y' and in 'f'"; "": there is none */
};

/* One value of the option. False after a message. */
bool rd_focus_add(struct rd_focus *f, const char *value);
/*
 * Looks the names up in the program and notes in the session's configuration where they are; for blocks of the heap
 * the program is run once. False after a message.
 */
bool rd_focus_find(struct rd_focus *f, struct rd_session *s);

#endif
