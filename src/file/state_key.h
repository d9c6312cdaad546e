/*
 * state_key.h - the key by which Raddle knows the schedule files that it has written for this user: 32 random bytes
 * in $XDG_STATE_HOME/raddle/key (~/.local/state/raddle/key). Who can read the key can sign files.
 */
#ifndef RD_FILE_STATE_KEY_H
#define RD_FILE_STATE_KEY_H

#include "base/error.h"

enum { RD_STATE_KEY = 32 };

/*
 * The key of this user. `make`: makes it if there is none. NULL: there is none, and with `make` the reason is in
 * `error`. A process reads the file once.
 */
const uint8_t *rd_state_key(bool make, struct rd_error *error);

#endif
