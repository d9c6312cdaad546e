/* focus_option.c - see focus_option.h. */
#include "cli/run/focus_option.h"

#include "base/text.h"
#include "cli/options.h"
#include "cli/run/named_code.h"
#include "cli/run/profile_once.h"

#include <string.h>

static bool add_name(struct rd_focus_option *f, bool function, const char *name, size_t length) {
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

bool rd_focus_option_add(struct rd_focus_option *f, const char *value) {
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

/* Writes the names of all functions, or of all variables, for the report. */
static void list_names(const struct rd_focus_option *f, bool function, struct rd_text *t) {
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

/* Runs the program once and adds the blocks that it has allocated. */
static bool find_blocks(const struct rd_focus_option *f, struct rd_session *s) {
    static struct rd_profile_once once;
    if (!rd_profile_once_open(&once, s))
        return false;
    bool fine = true;
    for (uint32_t i = 0; i < f->count && fine; i++)
        if (!f->at[i].function && rd_names_block(f->at[i].name))
            fine = rd_profile_once_block(&once, f->at[i].name, RD_NAMES_FOCUS_VAR, &s->config);
    rd_profile_once_close(&once);
    return fine;
}

static bool find_names(struct rd_focus_option *f, struct rd_session *s) {
    bool blocks = false;
    struct rd_text t;
    for (uint32_t i = 0; i < f->count; i++) {
        bool block = !f->at[i].function && rd_names_block(f->at[i].name);
        blocks |= block;
        if (!block && !rd_named_code_add(&s->config, s->target->path, f->at[i].name,
                                         f->at[i].function ? RD_NAMES_FOCUS_FUNCTION : RD_NAMES_FOCUS_VAR))
            return false;
    }
    if (blocks && !find_blocks(f, s))
        return false;
    rd_text_init(&t, f->words, sizeof f->words);
    list_names(f, false, &t);
    list_names(f, true, &t);
    if (blocks) /* under another schedule the program may allocate them at other addresses */
        rd_text_str(&t, " (memory as one execution had it)");
    if (t.used + 1 >= sizeof f->words)
        return rd_trouble("--focus: the names are too long for the report"), false;
    return true;
}

bool rd_focus_option_find(struct rd_focus_option *f, struct rd_session *s) {
    if (f->count == 0)
        return true;
    if (!rd_search_may_focus(s->search, &s->params))
        return rd_trouble(
                   "--focus cannot be combined with '%s': the claims of that strategy need every switch to be "
                   "possible",
                   s->config.strategy),
               false;
    s->config.focus = find_names(f, s);
    return s->config.focus;
}
