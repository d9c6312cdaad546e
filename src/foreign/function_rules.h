/* clang-format off */
/*
 * function_rules.h - what a call of a function that is not instrumented touches. One line of text for each function:
 *
 *   snprintf    r3:s w1:f3<#2 f3 locale:r
 *
 * says that it reads the string at its third argument, writes what that format makes of its arguments to the first,
 * at most as many bytes as the second says, reads what the format refers to, and reads the state called `locale`.
 * functions.def has a row for every function that is known; a file of the user's can add some.
 *
 *   r1:8        reads 8 bytes at argument 1; w writes. Arguments count from 1, without floating-point ones
 *   r1:#2       as many bytes as argument 2 says; r1:4*#2 and r1:#2*#3 are products, r1:#3-#2 is a difference
 *   w2:@3       as the 4 bytes at argument 3 say; @@3 as the 8 bytes there
 *   w1:<#2      at most so many: others depend on all of them, but no error is looked for there
 *   r1:s        a string with its end; r1:s<#2 at most so many characters; S with characters of 4 bytes; <s a part of it
 *   w1:s#2      as many bytes as the string at argument 2 has; w1:e#2 the same, behind the string that is there
 *   w1:f3       as many as the format at argument 3 makes; f3,4 with its arguments in the va_list at 4; f3<#2 at most
 *   r*1:s       not what argument 1 points to, but what the pointer there points to; r+1: the second pointer there
 *   f3 F3       what a printf format (F: wide) refers to; c2 C2 a scanf format
 *   rv2:#3      the parts of so many struct iovec; rm2 of a struct msghdr; rl1 an array of strings
 *   vs          strings that are the variable arguments, up to a null pointer
 *   rz1 wz1     a std::string with its characters; wo1 a C++ stream with its buffer; rx1 a string stream
 *   rt1 wt1     nodes of a std::map
 *   wb1         the whole block of the heap that holds argument 1
 *   w~          the static data of the library
 *   w=NAME      a variable that the library exports
 *   k1,3 K1,3   a string that is cut into pieces (K: wide): at argument 1, or if that is null where argument 3 points to
 *   null1       with a null pointer there nothing is known about the call
 *   closes1     the number of the descriptor, which is free then; fcloses1 that of a stream's
 *   rp1:#2      the descriptors of so many struct pollfd that are not open
 *   fcntl2      by the command at argument 2
 *   fixed4      mmap: by its flags at argument 4 it replaces what is there
 *   syscall1    by the number of the system call at argument 1
 *   stream1:w   the stream at argument 1; stream(in), stream(out), stream(err)
 *   fd1:r       the open file with that number; dir1:w a directory stream
 *   path1:w     the file with that name; path2@1 in the directory with that descriptor
 *   name:r      hidden state with that name, whatever it is; r does not change it
 *   wide        everything
 *   calls       functions of the program, before it returns
 *
 * A null pointer is never followed, and touches nothing.
 */
/* clang-format on */
#ifndef RD_FOREIGN_FUNCTION_RULES_H
#define RD_FOREIGN_FUNCTION_RULES_H

#include "base/base.h"

enum rd_rule_what {
    RD_RULE_BYTES, /* a fixed number of bytes, times size arguments */
    RD_RULE_STRING,
    RD_RULE_LIKE,   /* as long as another string, perhaps behind the one that is there */
    RD_RULE_FORMED, /* as long as what a format makes */
    RD_RULE_FORMAT, /* what a printf format refers to; _SCAN: what a scanf format does */
    RD_RULE_SCAN,
    RD_RULE_PARTS,   /* struct iovec */
    RD_RULE_MESSAGE, /* struct msghdr */
    RD_RULE_LIST,    /* array of strings */
    RD_RULE_REST,    /* variable arguments: strings */
    RD_RULE_CXX_STRING,
    RD_RULE_CXX_STREAM,
    RD_RULE_CXX_STRING_STREAM,
    RD_RULE_CXX_TREE,
    RD_RULE_BLOCK,
    RD_RULE_STATIC,
    RD_RULE_VARIABLE, /* state: the address of its name in the text */
    RD_RULE_CUT,      /* strtok_r */
    RD_RULE_NULL,
    RD_RULE_CLOSES,
    RD_RULE_FCLOSES,
    RD_RULE_POLLED,
    RD_RULE_FCNTL,
    RD_RULE_REPLACES,
    RD_RULE_SYSCALL,
    RD_RULE_STREAM, /* arg: 0x80 + number of a standard stream, or the argument */
    RD_RULE_FD,
    RD_RULE_PATH,
    RD_RULE_DIR,
    RD_RULE_STATE,
    RD_RULE_WIDE,
    RD_RULE_CALLS,
};

enum { RD_RULE_FIXED = 0x80 };                                    /* RD_RULE_STREAM: standard stream 0, 1 or 2 */
enum rd_rule_way { RD_RULE_HERE, RD_RULE_THERE, RD_RULE_BEHIND }; /* r1, r*1, r+1 */

struct rd_rule {
    uint8_t what; /* enum rd_rule_what */
    uint8_t arg;  /* from 1 */
    uint8_t way;  /* enum rd_rule_way */
    uint8_t unit; /* of strings and formats: bytes of a character */
    bool writes;
    bool at_most;        /* the size is an upper bound */
    bool behind;         /* RD_RULE_LIKE: after the string that is there */
    uint8_t stored;      /* the number is not size_arg itself but the so many bytes that it points to */
    uint8_t less_arg;    /* is subtracted from the first factor; 0: none */
    uint8_t size_arg[2]; /* factors of the size; the limit of strings and formats; 0: none */
    uint8_t
        other; /* RD_RULE_LIKE: that string; _FORMED: the format; _CUT: where the rest is; _PATH: the directory */
    uint8_t list;   /* formats: the argument that is a va_list; 0: they are variable arguments */
    uint32_t bytes; /* factor of the size */
    uint64_t state; /* RD_RULE_STATE: hash of its name; _VARIABLE: where it is */
};

enum { RD_RULES_MAX = 16 };

/* The rules in the text; -1: it has a word that is none, or too many, and `bad` is where. */
int rd_rules_parse(const char *text, struct rd_rule to[RD_RULES_MAX], const char **bad);

/* The hash of hidden state with that name. */
uint64_t rd_rule_state(const char *name, size_t size);

/* What is known about a function. */
enum rd_function_class {
    RD_FUNCTION_OPAQUE,  /* nothing: a call of it depends on everything */
    RD_FUNCTION_KNOWN,   /* its rules say everything */
    RD_FUNCTION_CARRIED, /* … and its hook makes the operation that touches it */
    RD_FUNCTION_PURE,    /* it uses nothing but the values of its arguments, and memory of its own */
    RD_FUNCTION_OWN,     /* its hook does everything */
    RD_FUNCTION_LEAVE,   /* nothing may stand before it, or nothing is to be done */
    RD_FUNCTION_LOOKUP,  /* dlsym: what it finds is made to lead to a thunk, too */
    RD_FUNCTION_SYNC,    /* a rule says what it does (sync_rules.h) */
};

struct rd_function {
    const char *name;
    const char *rules;
    uint8_t class; /* enum rd_function_class */
};

/* The row of that name; NULL: there is none. */
const struct rd_function *rd_function_find(const char *name);
/* All rows, by name. */
const struct rd_function *rd_functions(uint32_t *count);

#endif
