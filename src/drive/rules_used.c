/* rules.c - see rules.h. A schedule file has no more of the installed rules than it needs. */
#include "drive/rules_used.h"

#include "foreign/sync_rules.h"

#include <stdlib.h>
#include <string.h>

static bool is_loaded(const struct rd_channel *c, const char *library) {
    if (strcmp(library, "*") == 0)
        return true;
    for (uint32_t i = 0; i < RD_MIN(c->execution.module_count, (uint32_t)RD_MODULES_MAX); i++)
        if (rd_sync_rule_fits(library, c->execution.modules[i].path))
            return true;
    return false;
}

const char *rd_rules_used(struct rd_channel *c) {
    static char *last;
    char line[RD_SYNC_LINE], library[RD_SYNC_NAME];
    char *text = calloc(1, c->rules_size + 1), *end = text;
    bool used = true;
    if (!text)
        abort();
    for (const char *at = rd_channel_rules(c); (at = rd_sync_rule_next(at, line));) {
        if (rd_sync_rule_library(line, library))
            used = is_loaded(c, library);
        if (used) {
            end = stpcpy(end, line);
            *end++ = '\n';
        }
    }
    *end = 0;
    if (last && strcmp(last, text) == 0)
        free(text);
    else
        last = text; /* schedules may still refer to the one before */
    return last;
}
