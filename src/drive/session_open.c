/* session_open.c - the workers of a session, before they are started: see session.h. */
#include "drive/deadline.h"
#include "drive/session.h"
#include "search/search.h"

#include <string.h>
#include <sys/mman.h>

const char *rd_session_alone(const struct rd_session *s) {
    struct rd_params params = {0};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(s->config.strategy, &params, &error);
    if (s->isolation == RD_ISOLATION_EXEC)
        return "exec isolation is for one worker";
    if (s->config.coverage || s->config.outcomes)
        return s->config.coverage ? "--coverage is for one worker" : "--outcomes is for one worker";
    return search && rd_search_divides(search) ? NULL : "this strategy is for one worker";
}

int rd_session_open(const struct rd_session *s, struct rd_worker *w, struct rd_error *error) {
    struct rd_channel_size size = {.steps = s->config.steps_max + 64,
                                   .store = (uint64_t)s->config.steps_max * 4 + 64,
                                   .samples = s->config.coverage ? RD_SAMPLES_MAX : 0,
                                   .suppress = s->suppress_count,
                                   .rules = s->rules ? strlen(s->rules) : 0,
                                   .expected = s->expected ? s->expected_size : 0,
                                   .outcomes = s->config.separate,
                                   .orders = s->config.workers > 1};
    if (rd_worker_open(w, &s->config, &size, error) != 0)
        return -1;
    rd_target_tell(s->target, &w->channel->config);
    w->channel->config.deadline_ns = rd_deadline_ns();
    int fd = memfd_create("raddle-search", MFD_CLOEXEC);
    w->search_fd = RD_MAX(fd, 0);
    w->channel->config.outlives = fd > 0;
    if (s->expected)
        memcpy(rd_channel_expected(w->channel), s->expected, s->expected_size);
    if (s->rules)
        memcpy(rd_channel_rules(w->channel), s->rules, strlen(s->rules) + 1);
    if (s->suppress_count)
        memcpy(rd_channel_suppress(w->channel), s->suppress, s->suppress_count * sizeof *s->suppress);
    if (s->config.variables && s->globals)
        s->globals(rd_channel_profile(w->channel), s->target->path);
    w->execution_s_max = s->execution_s_max;
    w->tick = s->tick;
    return 0;
}
