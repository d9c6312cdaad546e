/* focus.c - see focus.h. */
#include "cli/focus.h"

#include "base/text.h"
#include "cli/names.h"
#include "cli/options.h"

#include <string.h>

static bool add_name(struct rd_focus *f, bool function, const char *name, size_t length) {
    if (length == 0)
        return rd_trouble("--focus needs a name after '%s='", function ? "function" : "var"), false;
    if (length >= sizeof f->at[0].name || f->count == RD_COUNT(f->at))
        return rd_trouble("--focus takes at most %zu names of up to %zu characters", RD_COUNT(f->at),
                          sizeof f->at[0].name - 1),
               false;
    memcpy(f->at[f->count].name, name, length);
    f->at[f->count].name[length] = 0;
    f->at[f->count++].function = function;
    return true;
}

bool rd_focus_add(struct rd_focus *f, const char *value) {
    bool function = strncmp(value, "function=", 9) == 0;
    if (!function && strncmp(value, "var=", 4) != 0)
        return rd_trouble("--focus needs var=NAME,... or function=NAME,..., not '%s'", value), false;
    const char *name = value + (function ? 9 : 4);
    for (;;) {
        size_t length = strcspn(name, ",");
        if (!add_name(f, function, name, length))
            return false;
        if (!name[length])
            return true;
        name += length + 1;
    }
}

static void list_names(const struct rd_focus *f, bool function, struct rd_text *t) {
    const char *before = function ? "in '" : "at '";
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->at[i].function != function)
            continue;
        rd_text_str(t, *before == ',' || t->used == 0 ? "" : " and ");
        rd_text_str(t, before);
        rd_text_str(t, f->at[i].name);
        rd_text_str(t, "'");
        before = ", '";
    }
}

bool rd_focus_find(struct rd_focus *f, struct rd_config *c, struct rd_target *target) {
    struct rd_params params = {0};
    char error[128];
    const struct rd_search *search = rd_search_parse(c->strategy, &params, error, sizeof error);
    if (f->count == 0)
        return true;
    if (!rd_search_may_focus(search, &params))
        return rd_trouble("--focus cannot be combined with '%s': what it leaves out or promises is right only "
                          "where every switch is possible",
                          c->strategy),
               false;
    for (uint32_t i = 0; i < f->count; i++)
        if (!rd_names_add(c, target->path, f->at[i].name,
                          f->at[i].function ? RD_NAMES_FOCUS_FUNCTION : RD_NAMES_FOCUS_VAR))
            return false;
    struct rd_text t;
    rd_text_init(&t, f->words, sizeof f->words);
    list_names(f, false, &t);
    list_names(f, true, &t);
    if (t.used + 1 >= sizeof f->words)
        return rd_trouble("--focus names more than a report can say"), false;
    c->focus = 1;
    return true;
}
