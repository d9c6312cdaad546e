/* focus_option.c - see focus_option.h. */
#include "cli/run/focus_option.h"

#include "base/text.h"
#include "cli/run/named_code.h"
#include "cli/options.h"
#include "symbols/symbols.h"

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

/* Is this the name of a block of the heap, "malloc at list.c:42"? Only an execution tells the addresses of blocks.
 */
static bool is_block(const char *name) { return strncmp(name, "malloc ", 7) == 0 || strncmp(name, "new ", 4) == 0; }

/* Adds the ranges of a block, which `symbols` knows by the profile of an execution. False after a message. */
static bool find_block(struct rd_config *c, struct rd_symbols *symbols, const char *name) {
    struct rd_range *to = &c->ranges[c->range_count];
    uint32_t room = RD_RANGES_MAX - c->range_count;
    uint32_t n = rd_symbols_blocks(symbols, name, to, room);
    if (n == room)
        return rd_trouble("'%s' and the names before it stand for too many places (at most %d)", name,
                          RD_RANGES_MAX - 1),
               false;
    if (n == 0)
        return rd_trouble("no memory '%s' was allocated in an execution (see 'raddle list variables')", name),
               false;
    for (uint32_t i = 0; i < n; i++)
        to[i].list = RD_NAMES_FOCUS_VAR;
    c->range_count += n;
    return true;
}

/* Runs the program once with the strategy `profile`, and looks the blocks up in the profile. */
static bool find_blocks(const struct rd_focus_option *f, struct rd_session *s) {
    static struct rd_session once;
    struct rd_error error;
    once = (struct rd_session){.target = s->target,
                               .config = s->config,
                               .isolation = s->isolation,
                               .rules = s->rules,
                               .execution_s_max = s->execution_s_max};
    once.config.executions_max = 1;
    once.config.keep_going = 1;
    if (rd_session_set_strategy(&once, rd_search_profile.name, &error) != 0 || rd_session_run(&once, &error) != 0)
        return rd_trouble("%s", error.text), false;
    struct rd_run_result *r = &once.result;
    struct rd_symbols *symbols = rd_symbols_open(r->modules, r->module_count);
    rd_symbols_profile(symbols, r->profile);
    bool fine = true;
    for (uint32_t i = 0; i < f->count && fine; i++)
        if (!f->at[i].function && is_block(f->at[i].name))
            fine = find_block(&s->config, symbols, f->at[i].name);
    rd_symbols_close(symbols);
    rd_session_close(&once);
    return fine;
}

static bool find_names(struct rd_focus_option *f, struct rd_session *s) {
    bool blocks = false;
    struct rd_text t;
    for (uint32_t i = 0; i < f->count; i++) {
        bool block = !f->at[i].function && is_block(f->at[i].name);
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
