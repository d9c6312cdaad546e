/*
 * sync_rules.h - the user's rules for functions of libraries without hooks: which synchronisation a call of the
 * function is, or which memory it touches. docs/rules.md defines the files. One rule is one line:
 *
 *   library libglib-2.0.so
 *   mutex.lock    g_mutex_lock 0
 *   mutex.trylock g_mutex_trylock 0 fail=0
 *   cond.wait     g_cond_wait 0 1
 *   touches       adler32 r2:#3
 *
 * The driver reads and checks the files, and hands their lines to the runtime as one text, without comments. A
 * schedule file has the lines that its execution depends on. Driver and runtime use this parser.
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

/* The parts of a rule besides the objects, as bits of `needs` in sync_kinds.def. */
enum {
    RD_SYNC_FAIL = 1,      /* fail= must be there */
    RD_SYNC_MAY_FAIL = 2,  /* fail= may be there */
    RD_SYNC_TIME = 4,      /* for= or until= must be there */
    RD_SYNC_RECURSIVE = 8, /* the word `recursive` may be there */
    RD_SYNC_RELOCKS = 16,  /* lock= and unlock= may be there */
    RD_SYNC_OK = 32,       /* ok= may be there */
    RD_SYNC_MAKES =
        64, /* it makes the object: the object may be the result, or the pointer stored at an argument */
    RD_SYNC_SIZE = 128,   /* the last argument is a number of bytes */
    RD_SYNC_MEMORY = 256, /* the rule has no object: it is about threads, or about the memory that a call touches */
};

enum { RD_SYNC_NAME = 128, RD_SYNC_LINE = 512, RD_SYNC_ARGUMENTS = 10 };

/* The place where a rule finds the address of its object. */
struct rd_sync_object_at {
    uint8_t argument; /* from 0 */
    bool there;       /* the argument points to the address */
    bool result;      /* the function returns the address */
};

enum rd_sync_unit { RD_SYNC_NS, RD_SYNC_US, RD_SYNC_MS, RD_SYNC_S, RD_SYNC_TIMESPEC };

/* A result of a function. */
struct rd_sync_value {
    int64_t number;
    bool is;      /* the rule gives this value */
    bool boolean; /* it is true or false: only the lowest byte of the result counts */
};

/* One parsed rule. */
struct rd_sync_rule {
    uint8_t kind; /* enum rd_sync_kind */
    bool recursive;
    bool until;        /* the time is a deadline, not a duration */
    bool realtime;     /* the deadline is one of CLOCK_REALTIME */
    uint8_t time_at;   /* the argument that is the time */
    uint8_t time_unit; /* enum rd_sync_unit */
    uint8_t size;      /* RD_SYNC_SIZE: bytes of the atomic object */
    struct rd_sync_object_at at[2];
    struct rd_sync_value fail, ok;
    int32_t error; /* the value of errno after a failure; 0: the call leaves it unchanged */
    char function[RD_SYNC_NAME];
    char lock[RD_SYNC_NAME],
        unlock[RD_SYNC_NAME];  /* the functions for the mutex of a wait; "": the first ones of the library */
    char memory[RD_SYNC_LINE]; /* `touches`: the line of memory rules (function_rules.h) */
};

/* Parses one line without comment and outer blanks. False: the line is wrong, and a message is in `error`. */
bool rd_sync_rule_parse(const char *line, struct rd_sync_rule *to, struct rd_error *error);
/* True if it is a `library` line; then `to` is the name, "" if the line is wrong. */
bool rd_sync_rule_library(const char *line, char to[RD_SYNC_NAME]);
/* Cuts the comment and the blanks of a line, in place. */
char *rd_sync_rule_trim(char *line);
/* True if the name of the file begins with this name of a library; "*" fits every file. */
bool rd_sync_rule_fits(const char *library, const char *path);
/* Reads the next line of a text of rules into `line`; NULL at the end. */
const char *rd_sync_rule_next(const char *text, char line[RD_SYNC_LINE]);
/* The bits of `needs` of a kind. pre: kind < RD_SYNC_KINDS */
unsigned rd_sync_needs(unsigned kind);

#endif
