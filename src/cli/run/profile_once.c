/* profile_once.c - see profile_once.h. */
#include "cli/run/profile_once.h"

#include "cli/options.h"
#include "symbols/symbols.h"

#include <string.h>

bool rd_profile_once_open(struct rd_profile_once *p, const struct rd_session *of) {
    struct rd_error error;
    struct rd_session *s = &p->session;
    *s = (struct rd_session){.target = of->target,
                             .config = of->config,
                             .isolation = of->isolation,
                             .rules = of->rules,
                             .execution_s_max = of->execution_s_max};
    s->config.executions_max = 1;
    s->config.keep_going = 1;
    if (rd_session_set_strategy(s, rd_search_profile.name, &error) != 0 || rd_session_run(s, &error) != 0)
        return rd_trouble("%s", error.text), false;
    p->symbols = rd_symbols_open(s->result.modules, s->result.module_count);
    rd_symbols_profile(p->symbols, s->result.profile);
    return true;
}

void rd_profile_once_close(struct rd_profile_once *p) {
    rd_symbols_close(p->symbols);
    rd_session_close(&p->session);
}

bool rd_names_block(const char *name) { return strncmp(name, "malloc ", 7) == 0 || strncmp(name, "new ", 4) == 0; }

bool rd_profile_once_block(struct rd_profile_once *p, const char *name, enum rd_names list, struct rd_config *c) {
    struct rd_range *to = &c->ranges[c->range_count];
    uint32_t room = RD_RANGES_MAX - c->range_count;
    uint32_t n = room ? rd_symbols_blocks(p->symbols, name, to, room) : 0;
    if (n == room)
        return rd_trouble("'%s' and the names before it stand for too many places (at most %d)", name,
                          RD_RANGES_MAX - 1),
               false;
    if (n == 0)
        return rd_trouble("no memory '%s' was allocated in an execution (see 'raddle list variables')", name),
               false;
    for (uint32_t i = 0; i < n; i++)
        to[i].list = list;
    c->range_count += n;
    return true;
}
