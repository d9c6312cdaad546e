/* team_member.h - this process as one of several workers (search/team/team.h). */
#ifndef RD_RT_ISOLATE_TEAM_MEMBER_H
#define RD_RT_ISOLATE_TEAM_MEMBER_H

#include "search/team/team.h"

/* Maps the hub. Called once, before the program begins; false: it cannot be. */
bool rd_team_member_attach(int fd);
/* The table of thread numbers that all workers share, or NULL. */
uint64_t *rd_team_member_paths(void);
/* Of what never changes in the hub; another one: somebody has written there. */
uint64_t rd_team_member_shape(void);
/* This worker's side of the team. False: it is alone. */
bool rd_team_member_team(struct rd_team *t, uint32_t seat, uint64_t (*now_ns)(void *ctx));
/* The core for this worker, when it is on this one now: no two have the same, as long as there are enough. */
int rd_team_member_cpu(uint32_t seat, int now);

#endif
