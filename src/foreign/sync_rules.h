/*
 * sync_rules.h - rules for functions of libraries that are not instrumented: what a call of one does to
 * synchronisation objects, or what memory it touches. docs/rules.md is the definition of the files; one rule is one
 * line:
 *
 *   library libglib-2.0.so
 *   mutex.lock    g_mutex_lock 0
 *   mutex.trylock g_mutex_trylock 0 fail=0
 *   cond.wait     g_cond_wait 0 1
 *   touches       adler32 r2:#3
 *
 * The driver reads files, checks them and hands their lines to the runtime as one text, without comments; a
 * schedule file keeps the lines that the execution depends on. Both parse them here.
 */
#ifndef RD_FOREIGN_SYNC_RULES_H
#define RD_FOREIGN_SYNC_RULES_H

#include "base/error.h"

enum rd_sync_kind {
#define RD_SYNC_KIND(id, name, arguments, needs) RD_SYNC_##id,
#include "foreign/sync_kinds.def"
#undef RD_SYNC_KIND
    RD_SYNC_KINDS
};

/* What a rule of the kind has besides its arguments: as bits of `needs`. */
enum {
    RD_SYNC_FAIL = 1,     /* fail= must be there */
    RD_SYNC_MAY_FAIL = 2, /* fail= may be there */
    RD_SYNC_TIME = 4,     /* for= or until= must be there */
    RD_SYNC_RECURSIVE = 8,
    RD_SYNC_RELOCKS = 16, /* lock= and unlock= may be there */
    RD_SYNC_OK = 32,      /* ok= may be there */
    RD_SYNC_MAKES = 64, /* the object may be the result of the function, or what an argument points to afterwards */
    RD_SYNC_SIZE = 128, /* the last argument is a number of bytes */
    RD_SYNC_MEMORY = 256, /* it says what the call touches, not what it synchronises */
};

enum { RD_SYNC_NAME = 128, RD_SYNC_LINE = 512, RD_SYNC_ARGUMENTS = 10 };

/* Where an object is found. */
struct rd_sync_object_at {
    uint8_t argument; /* from 0 */
    bool there;       /* the argument points to the pointer to it */
    bool result;      /* the function returns it */
};

enum rd_sync_unit { RD_SYNC_NS, RD_SYNC_US, RD_SYNC_MS, RD_SYNC_S, RD_SYNC_TIMESPEC };

struct rd_sync_value {
    int64_t number;
    bool is;      /* it was given */
    bool boolean; /* true or false: one byte of a result counts */
};

struct rd_sync_rule {
    uint8_t kind; /* enum rd_sync_kind */
    bool recursive;
    bool until;        /* the time is a moment, not a length */
    bool realtime;     /* … on the clock of the calendar */
    uint8_t time_at;   /* argument */
    uint8_t time_unit; /* enum rd_sync_unit */
    uint8_t size;      /* RD_SYNC_SIZE */
    struct rd_sync_object_at at[2];
    struct rd_sync_value fail, ok;
    int32_t error; /* what errno is after a failure; 0: it is left alone */
    char function[RD_SYNC_NAME];
    char lock[RD_SYNC_NAME], unlock[RD_SYNC_NAME]; /* "": the first of the library's */
    char memory[RD_SYNC_LINE];                     /* of `touches` */
};

/* One line without comment and outer blanks. False: `error` says what is wrong with it. */
bool rd_sync_rule_parse(const char *line, struct rd_sync_rule *to, struct rd_error *error);
/* Is it a `library` line? Then `to` is the name. */
bool rd_sync_rule_library(const char *line, char to[RD_SYNC_NAME]);
/* Cuts the comment and the blanks of a line, in place. */
char *rd_sync_rule_trim(char *line);
/* Does the file with this path have that name, or begin with it? "*" is every file. */
bool rd_sync_rule_fits(const char *library, const char *path);
/* Reads the next line of a text of rules into `line`; NULL at the end. */
const char *rd_sync_rule_next(const char *text, char line[RD_SYNC_LINE]);
unsigned rd_sync_needs(unsigned kind);

#endif
