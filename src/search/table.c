/* table.c - the searches, and how a strategy is written on the command line. */
#include "base/text.h"
#include "search/search.h"

#include <string.h>

const struct rd_search *const rd_searches[] = {&rd_search_auto, &rd_search_dfs, &rd_search_random};
const uint32_t rd_search_count = RD_COUNT(rd_searches);

static const struct rd_search *complain(char *error, size_t room, const char *before, const char *what,
                                        size_t length, const char *after) {
    struct rd_text t;
    rd_text_init(&t, error, room);
    rd_text_str(&t, before);
    for (size_t i = 0; i < length; i++)
        rd_text_char(&t, what[i]);
    rd_text_str(&t, after);
    return NULL;
}

static bool word_in(const char *words, const char *word, size_t length) {
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, " ");
        if (n == length && memcmp(w, word, n) == 0)
            return true;
        w += n + (w[n] == ' ');
    }
    return false;
}

static void copy(char *to, size_t room, const char *from, size_t length) {
    size_t n = RD_MIN(length, room - 1);
    memcpy(to, from, n);
    to[n] = 0;
}

const struct rd_search *rd_search_parse(const char *text, struct rd_params *params, char *error, size_t room) {
    size_t name = strcspn(text, ":");
    const struct rd_search *s = NULL;
    for (uint32_t i = 0; i < rd_search_count; i++)
        if (strlen(rd_searches[i]->name) == name && memcmp(rd_searches[i]->name, text, name) == 0)
            s = rd_searches[i];
    if (!s)
        return complain(error, room, "unknown strategy '", text, name, "' (see 'raddle list strategies')");
    params->count = 0;
    for (const char *p = text[name] ? text + name + 1 : ""; *p;) {
        size_t pair = strcspn(p, ",");
        size_t key = strcspn(p, "=,");
        const char *value = key < pair ? p + key + 1 : p + pair;
        size_t length = (size_t)(p + pair - value);
        if (!word_in(s->keys, p, key))
            return complain(error, room, "unknown strategy parameter '", p, key, "'");
        if (length == 0 || strspn(value, "0123456789") < length || length > 18)
            return complain(error, room, "strategy parameter '", p, pair, "' needs a number");
        if (params->count == RD_PARAMS_MAX)
            return complain(error, room, "too many strategy parameters in '", text, strlen(text), "'");
        struct rd_param *q = &params->at[params->count++];
        copy(q->key, sizeof q->key, p, key);
        copy(q->value, sizeof q->value, value, length);
        p += pair + (p[pair] == ',');
    }
    return s;
}

uint64_t rd_param_number(const struct rd_params *params, const char *key, uint64_t otherwise) {
    for (uint32_t i = 0; i < params->count; i++) {
        if (strcmp(params->at[i].key, key) != 0)
            continue;
        uint64_t n = 0;
        for (const char *p = params->at[i].value; *p; p++)
            n = n * 10 + (uint64_t)(*p - '0');
        return n;
    }
    return otherwise;
}
