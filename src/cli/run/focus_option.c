/* focus.c - see focus.h. */
#include "cli/run/focus_option.h"

#include "base/text.h"
#include "cli/run/named_code.h"
#include "cli/options.h"
#include "symbols/symbols.h"

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

/* "malloc at list.c:42": where that is only an execution can tell. */
static bool is_block(const char *name) { return strncmp(name, "malloc ", 7) == 0 || strncmp(name, "new ", 4) == 0; }

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

static bool find_blocks(const struct rd_focus *f, struct rd_session *s) {
    static struct rd_session once;
    struct rd_error error;
    once = (struct rd_session){.target = s->target,
                               .config = s->config,
                               .isolation = s->isolation,
                               .rules = s->rules,
                               .execution_s_max = s->execution_s_max};
    once.config.executions_max = 1;
    once.config.keep_going = 1;
    strcpy(once.config.strategy, rd_search_profile.name);
    if (rd_session_run(&once, &error) != 0)
        return rd_trouble("%s", error.text), false;
    struct rd_channel *c = once.worker.channel;
    struct rd_symbols *symbols = rd_symbols_open(c->execution.modules, c->execution.module_count);
    rd_symbols_profile(symbols, rd_channel_profile(c));
    bool fine = true;
    for (uint32_t i = 0; i < f->count && fine; i++)
        if (!f->at[i].function && is_block(f->at[i].name))
            fine = find_block(&s->config, symbols, f->at[i].name);
    rd_symbols_close(symbols);
    rd_session_close(&once);
    return fine;
}

static bool find_names(struct rd_focus *f, struct rd_session *s) {
    bool blocks = false;
    struct rd_text t;
    for (uint32_t i = 0; i < f->count; i++) {
        bool block = !f->at[i].function && is_block(f->at[i].name);
        blocks |= block;
        if (!block && !rd_names_add(&s->config, s->target->path, f->at[i].name,
                                    f->at[i].function ? RD_NAMES_FOCUS_FUNCTION : RD_NAMES_FOCUS_VAR))
            return false;
    }
    if (blocks && !find_blocks(f, s))
        return false;
    rd_text_init(&t, f->words, sizeof f->words);
    list_names(f, false, &t);
    list_names(f, true, &t);
    if (blocks) /* in another schedule the program may allocate elsewhere */
        rd_text_str(&t, " (memory as one execution had it)");
    if (t.used + 1 >= sizeof f->words)
        return rd_trouble("--focus names more than a report can say"), false;
    return true;
}

bool rd_focus_find(struct rd_focus *f, struct rd_session *s) {
    struct rd_params params = {0};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(s->config.strategy, &params, &error);
    if (f->count == 0)
        return true;
    if (!rd_search_may_focus(search, &params))
        return rd_trouble("--focus cannot be combined with '%s': what it leaves out or promises is right only "
                          "where every switch is possible",
                          s->config.strategy),
               false;
    s->config.focus = find_names(f, s);
    return s->config.focus;
}
