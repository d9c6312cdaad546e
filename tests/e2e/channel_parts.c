/* channel_parts.c - prints where the counts lie that a broken program can overwrite: a name and an offset per line.
 */
#include "channel/channel.h"

#include <stddef.h>
#include <stdio.h>

#define PART(member) printf("%s %zu\n", #member, offsetof(struct rd_channel, member))

int main(void) {
    PART(canary_first);
    PART(execution.outcome.verdict);
    PART(execution.outcome.steps);
    PART(execution.outcome.noted_count);
    PART(execution.module_count);
    PART(execution.path_count);
    PART(execution.observed_count);
    PART(execution.plan.prefix_count);
    PART(result.summary.end);
    PART(result.summary.found_count);
    PART(result.summary.store_used);
    PART(result.summary.classes_logged);
    return 0;
}
