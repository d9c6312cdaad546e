/* given_options.c - see given_options.h. */
#include "report/text/given_options.h"

#include <string.h>

/* Do both come from the same place? */
static bool same_source(const struct rd_given_option *a, const struct rd_given_option *b) {
    const char *s = a->section ? a->section : "", *t = b->section ? b->section : "";
    return strcmp(a->from, b->from) == 0 && strcmp(s, t) == 0;
}

void rd_print_given_options(FILE *out, const struct rd_given_option *list, uint32_t count) {
    if (count)
        fputs("options: ", out);
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_given_option *o = &list[i];
        fprintf(out, "%s%s%s%s", o->line ? "" : "--", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (i + 1 < count && same_source(o, o + 1)) {
            fputs(", ", out);
            continue;
        }
        fprintf(out, " from %s", o->from);
        if (o->section)
            fprintf(out, " [test %s]", o->section);
        fputs(i + 1 < count ? "; " : "\n", out);
    }
}
