/* clang-format off */
/*
 * function_rules.h - the memory and the hidden state that a call of a function without hooks reads and writes. One line
 * of rules, as text, for each function:
 *
 *   snprintf    r3:s w1:f3<#2 f3 locale:r
 *
 * says that snprintf reads the string at its third argument (the format), writes the formatted text to its first
 * argument, but no more bytes than its second argument says, reads the memory that the format refers to, and reads the
 * state called `locale`. functions.def has a row for each known function; the user's files of rules can add more.
 *
 *   r1:8        reads 8 bytes at argument 1; w writes. Arguments count from 1, without floating-point ones
 *   r1:#2       as many bytes as argument 2 says; r1:4*#2 and r1:#2*#3 are products, r1:#3-#2 is a difference
 *   w2:@3       as the 4 bytes at argument 3 say; @@3 as the 8 bytes there
 *   w1:<#2      at most so many: dependences are with all of them, but they are not checked for races and heap errors
 *   r1:s        a string with its end; r1:s<#2 at most so many characters; S with characters of 4 bytes; <s a part of it
 *   w1:s#2      as many bytes as the string at argument 2 has; w1:e#2 the same, behind the string that is there
 *   w1:f3       as many as the format at argument 3 makes; f3,4 with its arguments in the va_list at 4; f3<#2 at most
 *   r*1:s       the memory behind the pointer that argument 1 points to; r+1: behind the second pointer there
 *   f3 F3       the memory that a printf format (F: wide) refers to; c2 C2 a scanf format
 *   rv2:#3      the parts of so many struct iovec; rm2 of a struct msghdr; rl1 an array of strings
 *   vs          strings that are the variable arguments, up to a null pointer
 *   rz1 wz1     a std::string with its characters; wo1 a C++ stream with its buffer; rx1 a string stream
 *   rt1 wt1     nodes of a std::map
 *   wb1         the whole block of the heap that holds argument 1
 *   w~          the static data of the library
 *   w=NAME      a variable that the library exports
 *   k1,3 K1,3   a string that is cut into pieces (K: wide): at argument 1, or if that is null where argument 3 points to
 *   null1       a call with a null pointer there is opaque
 *   closes1     the number of the descriptor, which is free then; fcloses1 that of a stream's
 *   rp1:#2      the descriptors of so many struct pollfd that are not open
 *   fcntl2      by the command at argument 2
 *   fixed4      mmap: with MAP_FIXED in argument 4 it replaces the memory at its address
 *   syscall1    by the number of the system call at argument 1
 *   stream1:w   the stream at argument 1; stream(in), stream(out), stream(err)
 *   fd1:r       the open file with that number; dir1:w a directory stream
 *   path1:w     the file with that name; path2@1 in the directory with that descriptor
 *   name:r      the hidden state with that name; r: it is read, w: it is changed
 *   wide        the call depends on every operation
 *   calls       the call runs functions of the program before it returns
 *
 * A null pointer is never followed, and touches nothing.
 */
/* clang-format on */
#ifndef RD_FOREIGN_FUNCTION_RULES_H
#define RD_FOREIGN_FUNCTION_RULES_H

#include "base/base.h"

/* The forms of a rule. */
enum rd_rule_what {
    RD_RULE_BYTES, /* a fixed number of bytes, times size arguments */
    RD_RULE_STRING,
    RD_RULE_LIKE,    /* a string as long as another one; it can be appended to the string that is there */
    RD_RULE_FORMED,  /* a string as long as the text that a format makes */
    RD_RULE_FORMAT,  /* the memory that a printf format refers to */
    RD_RULE_SCAN,    /* the memory that a scanf format refers to */
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

enum { RD_RULE_FIXED = 0x80 }; /* RD_RULE_STREAM: standard stream 0, 1 or 2 */
/* The pointer of a rule: the argument (r1), the pointer that it points to (r*1), or the one behind that (r+1). */
enum rd_rule_way { RD_RULE_HERE, RD_RULE_THERE, RD_RULE_BEHIND };

/* One word of a line of rules. */
struct rd_rule {
    uint8_t what; /* enum rd_rule_what */
    uint8_t arg;  /* from 1 */
    uint8_t way;  /* enum rd_rule_way */
    uint8_t unit; /* of strings and formats: bytes of a character */
    bool writes;
    bool at_most;     /* the size is an upper bound */
    bool behind;      /* RD_RULE_LIKE: appended to the string that is there */
    uint8_t stored;   /* 4 or 8: the size argument points to the size, which has so many bytes; 0: it is the size */
    uint8_t less_arg; /* the argument that is subtracted from the first factor; 0: none */
    uint8_t size_arg[2]; /* the arguments that are factors of the size, or the limit of strings; 0: none */
    uint8_t
        other;    /* a second argument: the string of _LIKE, the format of _FORMED, the rest of _CUT, a directory */
    uint8_t list; /* formats: the argument that is a va_list; 0: they are variable arguments */
    uint32_t bytes; /* factor of the size */
    uint64_t state; /* RD_RULE_STATE: hash of the name; _VARIABLE: address of the name in the text */
};

enum { RD_RULES_MAX = 16 };

/*
 * Parses a line of rules. Returns their number; or -1 if a word is no rule or there are too many, with that word in
 * `bad`. A parsed rule can refer to the text (RD_RULE_VARIABLE), which must stay.
 */
int rd_rules_parse(const char *text, struct rd_rule to[RD_RULES_MAX], const char **bad);

/* The hash of the name of hidden state. */
uint64_t rd_rule_state(const char *name, size_t size);

/* How calls of a function are handled. */
enum rd_function_class {
    RD_FUNCTION_OPAQUE,  /* without rules: a call depends on every operation */
    RD_FUNCTION_KNOWN,   /* a call is an operation that touches the memory and the state of its rules */
    RD_FUNCTION_CARRIED, /* it has a hook that makes an operation, and the memory of its rules goes with that
                            operation */
    RD_FUNCTION_PURE,    /* it uses only the values of its arguments and private memory: a call is no operation */
    RD_FUNCTION_OWN,     /* it has a hook that makes all its operations */
    RD_FUNCTION_LEAVE,   /* its calls do not pass through a thunk */
    RD_FUNCTION_LOOKUP,  /* dlsym: the functions that it finds get thunks, too */
    RD_FUNCTION_SYNC,    /* a rule of the user says which synchronisation it is (sync_rules.h) */
};

/* A row of functions.def. */
struct rd_function {
    const char *name;
    const char *rules;
    uint8_t class; /* enum rd_function_class */
};

/* The row of the function with this name; NULL: there is none. */
const struct rd_function *rd_function_find(const char *name);
/* All rows, sorted by name. */
const struct rd_function *rd_functions(uint32_t *count);

#endif
