/*
 * table.c - the table of strategies, and the parser of a strategy on the command line. A row is all that a new
 * search needs outside its own file.
 */
#include "search/search.h"

#include "base/guess.h"

#include <string.h>

/* The rows, in the order of 'raddle list strategies'. */
// clang-format off
#define ROWS(ROW)             \
    ROW(rd_search_auto)       \
    ROW(rd_search_dfs)        \
    ROW(rd_search_idfs)       \
    ROW(rd_search_icb)        \
    ROW(rd_search_delay)      \
    ROW(rd_search_best)       \
    ROW(rd_search_dpor)       \
    ROW(rd_search_bpor)       \
    ROW(rd_search_exitblock)  \
    ROW(rd_search_random)     \
    ROW(rd_search_pct)        \
    ROW(rd_search_pos)        \
    ROW(rd_search_rapos)      \
    ROW(rd_search_urw)        \
    ROW(rd_search_surw)       \
    ROW(rd_search_pctvb)      \
    ROW(rd_search_rff)        \
    ROW(rd_search_rank)
// clang-format on

#define DECLARED(search) extern const struct rd_search search;
#define ADDRESS(search) &search,
ROWS(DECLARED)
const struct rd_search *const rd_searches[] = {ROWS(ADDRESS)};
const uint32_t rd_search_count = RD_COUNT(rd_searches);

static const struct rd_search *complain(struct rd_error *error, const char *before, const char *what, size_t length,
                                        const char *after) {
    struct rd_text t = rd_error_text(error);
    rd_text_str(&t, before);
    rd_text_part(&t, what, length);
    rd_text_str(&t, after);
    return NULL;
}

/* Reports an unknown parameter, with the list of the strategy's parameters. */
static const struct rd_search *unknown(struct rd_error *error, const struct rd_search *s, const char *key,
                                       size_t length) {
    struct rd_text t = rd_error_text(error);
    rd_text_str(&t, "strategy '");
    rd_text_str(&t, s->name);
    rd_text_str(&t, "' has no parameter '");
    rd_text_part(&t, key, length);
    rd_text_str(&t, s->keys[0] ? "'; it has: " : "'; it has none");
    for (const char *w = s->keys; *w; w++)
        if (*w != '#' && *w != '=')
            rd_text_str(&t, *w == ' ' ? ", " : (char[]){*w, 0});
    return NULL;
}

enum shape { UNKNOWN, BARE, NUMBER, LIST };

static enum shape shape_of(const char *keys, const char *key, size_t length) {
    for (const char *w = keys; *w;) {
        size_t all = strcspn(w, " "), n = strcspn(w, " #=");
        if (n == length && memcmp(w, key, n) == 0)
            return w[n] == '#' ? NUMBER : w[n] == '=' ? LIST : BARE;
        w += all + (w[all] == ' ');
    }
    return UNKNOWN;
}

/* Returns the error in the value, or NULL. */
static const char *unfit(enum shape shape, const char *value, size_t length) {
    if (shape == NUMBER && (length == 0 || strspn(value, "0123456789") < length || length > 18))
        return "' needs a number";
    if (shape == LIST && length == 0)
        return "' needs a name";
    return shape == BARE && length ? "' takes no value" : NULL;
}

/* Appends another name to the last parameter if that is a list: `method=f,g`. */
static bool continues(struct rd_params *params, const struct rd_search *s, const char *word, size_t length) {
    struct rd_param *last = params->count ? &params->at[params->count - 1] : NULL;
    size_t used = last ? strlen(last->value) : 0;
    if (length == 0 || !last || shape_of(s->keys, last->key, strlen(last->key)) != LIST ||
        used + length + 2 > sizeof last->value)
        return false;
    last->value[used] = ',';
    memcpy(last->value + used + 1, word, length);
    last->value[used + 1 + length] = 0;
    return true;
}

static bool given(const struct rd_params *params, const char *key, size_t length) {
    for (uint32_t i = 0; i < params->count; i++)
        if (strlen(params->at[i].key) == length && memcmp(params->at[i].key, key, length) == 0)
            return true;
    return false;
}

static void copy(char *to, size_t room, const char *from, size_t length) {
    size_t n = RD_MIN(length, room - 1);
    memcpy(to, from, n);
    to[n] = 0;
}

/* Returns whether the row has the slots that search.h requires. */
static bool is_sound(const struct rd_search *s) {
    const struct rd_search_team_ops *team = s->team;
    bool units = rd_search_share(s) == RD_SHARE_UNITS;
    return s->name && s->summary && s->keys && s->guarantee.sentence && s->open && s->next && s->feedback &&
           s->claim && (!team || (team->share != RD_SHARE_NOT && team->tally && team->merge)) &&
           (!units || (team->level && team->give && team->take)) &&
           (s->guarantee.exhaustive || !s->guarantee.outcomes);
}

static const struct rd_search *unknown_strategy(struct rd_error *error, const char *text, size_t length) {
    struct rd_guess g;
    char guess[RD_GUESS_TEXT], end[RD_GUESS_TEXT + 40];
    struct rd_text t;
    rd_guess_begin(&g, text, length);
    for (uint32_t i = 0; i < rd_search_count; i++)
        rd_guess_try(&g, rd_searches[i]->name, strlen(rd_searches[i]->name));
    rd_text_init(&t, end, sizeof end);
    rd_text_str(&t, "'");
    rd_text_str(&t, rd_guess_words(&g, "", guess));
    rd_text_str(&t, " (see 'raddle list strategies')");
    return complain(error, "unknown strategy '", text, length, end);
}

const struct rd_search *rd_search_parse(const char *text, struct rd_params *params, struct rd_error *error) {
    size_t name = strcspn(text, ":");
    const struct rd_search *s = strcmp(text, rd_search_profile.name) == 0 ? &rd_search_profile : NULL;
    for (uint32_t i = 0; i < rd_search_count; i++)
        if (strlen(rd_searches[i]->name) == name && memcmp(rd_searches[i]->name, text, name) == 0)
            s = rd_searches[i];
    if (!s)
        return unknown_strategy(error, text, name);
    RD_CHECK(is_sound(s));
    params->count = 0;
    for (const char *p = text[name] ? text + name + 1 : ""; *p;) {
        size_t pair = strcspn(p, ",");
        size_t key = strcspn(p, "=,");
        const char *value = key < pair ? p + key + 1 : p + pair;
        size_t length = (size_t)(p + pair - value);
        enum shape shape = shape_of(s->keys, p, key);
        const char *wrong = unfit(shape, value, length);
        if (shape == UNKNOWN && key == pair && continues(params, s, p, pair)) {
            p += pair + (p[pair] == ',');
            continue;
        }
        if (shape == UNKNOWN)
            return unknown(error, s, p, key);
        if (wrong)
            return complain(error, "strategy parameter '", p, pair, wrong);
        if (shape != BARE && given(params, p, key)) /* one of the two values would be ignored */
            return complain(error, "strategy parameter '", p, key, "' is given twice");
        if (params->count == RD_PARAMS_MAX)
            return complain(error, "too many strategy parameters in '", text, strlen(text), "'");
        if (length >= sizeof params->at[0].value)
            return complain(error, "strategy parameter '", p, pair, "' is too long");
        struct rd_param *q = &params->at[params->count++];
        copy(q->key, sizeof q->key, p, key);
        copy(q->value, sizeof q->value, value, length);
        p += pair + (p[pair] == ',');
    }
    const char *wrong = s->hooks.check ? s->hooks.check(params) : NULL;
    if (wrong)
        return complain(error, "", wrong, strlen(wrong), "");
    const struct rd_search *variant = s->hooks.variant ? s->hooks.variant(params) : NULL;
    RD_CHECK(!variant || is_sound(variant));
    return variant ? variant : s;
}

bool rd_search_may_focus(const struct rd_search *s, const struct rd_params *params) {
    return s->focusable && !(s->hooks.reduces && s->hooks.reduces(params));
}

const char *rd_param_text(const struct rd_params *params, const char *key) {
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].key, key) == 0)
            return params->at[i].value;
    return NULL;
}

uint64_t rd_param_number(const struct rd_params *params, const char *key, uint64_t otherwise) {
    const char *p = rd_param_text(params, key);
    uint64_t n = 0;
    for (; p && *p; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    return p ? n : otherwise;
}
