/*
 * mem.h - shared by the interposers of libc's memory and string functions (mem.c, str.c, strcopy.c).
 *
 * libc is not instrumented, so an instrumented program's memcpy(&x, …) would be invisible. A preloaded library's
 * memcpy is called by *everything* in the process, though: by libraries that are not instrumented, by our own code,
 * and before any of our constructors has run. Hence:
 *   - a call is made of operations only when the caller's module is instrumented and the thread is under control;
 *   - all other calls are passed on to libc, and before libc's functions are bound to the plain loops of early.c;
 *   - nothing here calls one of these functions by name, nor lets the compiler do so (see early.c).
 *
 * Operations are exact: what a function read at the point of its read is kept on the stack until the point of its
 * write has come, since another thread may run in between.
 */
#ifndef RD_RT_HOOK_MEMORY_MEM_H
#define RD_RT_HOOK_MEMORY_MEM_H

#undef _FORTIFY_SOURCE /* its inline versions would stand in the way of our definitions */

#include "rt/hook/hook.h"

#include <string.h>

/* Call libc's function, or ours while that is not bound: it is too early to bind it here. */
#define RD_PASS(name, ...)                                                            \
    (RD_LIKELY(rd_real.name != NULL) ? ((__typeof__(&name))rd_real.name)(__VA_ARGS__) \
                                     : rd_early_##name(__VA_ARGS__))

/* Is the call to be made of operations? pc: where it comes from. */
static inline bool rd_mem_watched(uint64_t pc) { return rd_hook_on() && rd_place_is_instrumented(pc); }

/*
 * Reads as many bytes as an expression says. How far a search goes depends on what is there, and that may change
 * before its turn has come: when it goes further then, it is announced again.
 */
#define RD_MEM_READ(s, bytes, pc)                                            \
    do {                                                                     \
        for (size_t read_ = 0, now_; (now_ = (bytes)) > read_; read_ = now_) \
            rd_hook_range(s, now_, RD_OP_READ, pc);                          \
    } while (0)

/* libc: "buffer overflow detected", and the end. */
_Noreturn void __chk_fail(void);

/*
 * mem.c
 * pre, for all: rd_hook_on().
 */
/* Bytes that may be kept on the stack of the calling thread. */
size_t rd_mem_room(void) RD_HIDDEN;
/* Reads and writes. The areas may overlap. */
void rd_mem_copy(void *to, const void *from, size_t size, uint64_t pc) RD_HIDDEN;
/* The same where `size` bytes of `from` have just been read; zeroes follow, up to `total` bytes. */
void rd_mem_put(void *to, const void *from, size_t size, size_t total, uint64_t pc) RD_HIDDEN;
void rd_mem_fill(void *to, int byte, size_t size, uint64_t pc) RD_HIDDEN;

/* early.c: the same functions without any dependency. */
void *rd_early_memcpy(void *to, const void *from, size_t n) RD_HIDDEN;
void *rd_early_memmove(void *to, const void *from, size_t n) RD_HIDDEN;
void *rd_early_memset(void *to, int byte, size_t n) RD_HIDDEN;
int rd_early_memcmp(const void *a, const void *b, size_t n) RD_HIDDEN;
void *rd_early_memchr(const void *s, int byte, size_t n) RD_HIDDEN;
void *rd_early_memrchr(const void *s, int byte, size_t n) RD_HIDDEN;
void *rd_early_rawmemchr(const void *s, int byte) RD_HIDDEN;
size_t rd_early_strlen(const char *s) RD_HIDDEN;
size_t rd_early_strnlen(const char *s, size_t max) RD_HIDDEN;
char *rd_early_strcpy(char *to, const char *from) RD_HIDDEN;
char *rd_early_strncpy(char *to, const char *from, size_t n) RD_HIDDEN;
char *rd_early_stpcpy(char *to, const char *from) RD_HIDDEN;
char *rd_early_stpncpy(char *to, const char *from, size_t n) RD_HIDDEN;
char *rd_early_strcat(char *to, const char *from) RD_HIDDEN;
char *rd_early_strncat(char *to, const char *from, size_t n) RD_HIDDEN;
int rd_early_strcmp(const char *a, const char *b) RD_HIDDEN;
int rd_early_strncmp(const char *a, const char *b, size_t n) RD_HIDDEN;
int rd_early_strcasecmp(const char *a, const char *b) RD_HIDDEN;
int rd_early_strncasecmp(const char *a, const char *b, size_t n) RD_HIDDEN;
char *rd_early_strchr(const char *s, int c) RD_HIDDEN;
char *rd_early_strchrnul(const char *s, int c) RD_HIDDEN;
char *rd_early_strrchr(const char *s, int c) RD_HIDDEN;
char *rd_early_strstr(const char *s, const char *part) RD_HIDDEN;
size_t rd_early_strspn(const char *s, const char *set) RD_HIDDEN;
size_t rd_early_strcspn(const char *s, const char *set) RD_HIDDEN;
char *rd_early_strpbrk(const char *s, const char *set) RD_HIDDEN;
char *rd_early_strdup(const char *s) RD_HIDDEN;
char *rd_early_strndup(const char *s, size_t max) RD_HIDDEN;

#endif
