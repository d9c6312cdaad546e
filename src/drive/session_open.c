/* session_open.c - prepares the workers of a session (session.h). */
#include "drive/deadline.h"
#include "drive/session.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *rd_session_alone(const struct rd_session *s) {
    if (s->isolation == RD_ISOLATION_EXEC)
        return "exec isolation is for one worker";
    if (s->config.coverage || s->config.outcomes)
        return s->config.coverage ? "--coverage is for one worker" : "--outcomes is for one worker";
    return rd_search_divides(s->search) ? NULL : "this strategy is for one worker";
}

void rd_session_not_attached(const struct rd_worker *w, const struct rd_target *t, struct rd_error *error) {
    static const char mark[] = "raddle: "; /* the runtime prints the reason after it, to the program's output */
    char printed[256];
    ssize_t n = pread(w->output_fd, printed, sizeof printed - 1, 0);
    printed[n > 0 ? n : 0] = 0;
    printed[strcspn(printed, "\n")] = 0;
    bool reason = strncmp(printed, mark, sizeof mark - 1) == 0;
    rd_error_set(error, "cannot take over '%s': %s", t->path,
                 reason ? printed + sizeof mark - 1 : "the runtime library was not loaded into it");
}

/* Fills in the arrays of the channel that the tested process reads. */
static void fill_channel(const struct rd_session *s, struct rd_channel *c) {
    if (s->expected)
        memcpy(rd_channel_expected(c), s->expected, s->expected_size);
    if (s->rules)
        memcpy(rd_channel_rules(c), s->rules, strlen(s->rules) + 1);
    if (s->suppress_count)
        memcpy(rd_channel_suppress(c), s->suppress, s->suppress_count * sizeof *s->suppress);
    if (s->config.variables && s->globals)
        s->globals(rd_channel_profile(c), s->target->path);
}

int rd_session_open(const struct rd_session *s, struct rd_worker *w, struct rd_error *error) {
    struct rd_channel_size size = {.steps = s->config.steps_max + 64,
                                   .store = (uint64_t)s->config.steps_max * 4 + 64,
                                   .samples = s->config.coverage ? RD_SAMPLES_MAX : 0,
                                   .orders = s->config.coverage ? RD_ORDERS_MAX : 0,
                                   .suppress = s->suppress_count,
                                   .rules = s->rules ? strlen(s->rules) : 0,
                                   .expected = s->expected ? s->expected_size : 0,
                                   .outcomes = s->config.separate,
                                   .class_log = s->config.workers > 1};
    if (rd_worker_open(w, &s->config, &size, error) != 0)
        return -1;
    fill_channel(s, w->channel);
    rd_target_tell(s->target, &w->channel->config);
    w->channel->config.deadline_ns = rd_deadline_ns();
    int fd = memfd_create("raddle-search", MFD_CLOEXEC);
    w->search_fd = RD_MAX(fd, 0);
    w->channel->config.outlives = fd > 0;
    rd_worker_seal(w);
    w->execution_s_max = s->execution_s_max;
    w->tick = s->tick;
    return 0;
}
