/* failure.c - see failure.h. */
#include "drive/failure.h"

enum rd_failure rd_failure_of_worker(const struct rd_worker *w, const struct rd_summary *s, bool sound) {
    const struct rd_live *live = &w->channel->live;
    if (!sound || s->end >= RD_END_COUNT)
        return RD_FAILURE_DIED; /* the summary cannot be trusted */
    if (s->broken)
        return RD_FAILURE_DAMAGED;
    if (s->end == RD_END_AGAIN)
        return RD_FAILURE_SHARED;
    if (s->end == RD_END_NO_FORK)
        return RD_FAILURE_NO_FORK;
    bool searched = w->replaced || (live->attached && live->explorer_pid); /* else the program made no thread */
    bool has_result = s->end == RD_END_TROUBLE || live->phase == RD_PHASE_TOLD;
    return searched && (s->end == RD_END_NONE || !has_result) ? RD_FAILURE_DIED : RD_FAILURE_NONE;
}
