/* rules_used.c - see rules_used.h. So a schedule file has only the installed rules that its replay needs. */
#include "drive/rules_used.h"

#include "foreign/sync_rules.h"

#include <stdlib.h>
#include <string.h>

static bool is_loaded(const struct rd_run_result *r, const char *library) {
    if (strcmp(library, "*") == 0)
        return true;
    for (uint32_t i = 0; i < r->module_count; i++)
        if (rd_sync_rule_fits(library, r->modules[i].path))
            return true;
    return false;
}

const char *rd_rules_used(const struct rd_run_result *r) {
    static char *last;
    const char *rules = r->rules ? r->rules : "";
    char line[RD_SYNC_LINE], library[RD_SYNC_NAME];
    char *text = calloc(1, strlen(rules) + 2), *end = text;
    bool used = true;
    if (!text)
        abort();
    for (const char *at = rules; (at = rd_sync_rule_next(at, line));) {
        if (rd_sync_rule_library(line, library))
            used = is_loaded(r, library);
        if (used) {
            end = stpcpy(end, line);
            *end++ = '\n';
        }
    }
    *end = 0;
    if (last && strcmp(last, text) == 0)
        free(text);
    else
        last = text; /* the text before is not freed: schedules may still refer to it */
    return last;
}
