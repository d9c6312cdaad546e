/*
 * mem.h - shared by the hooks of libc's memory and string functions (mem.c, str.c, strcopy.c).
 *
 * libc is not instrumented, so without hooks the accesses of an instrumented program's memcpy(&x, …) would be
 * invisible. But all code in the process calls a preloaded library's memcpy: libraries that are not instrumented,
 * the runtime itself, and code that runs before the constructors of this library. Hence:
 *   - a call is made of operations (is *watched*) only when the caller's module is instrumented and the thread is
 *     under control;
 *   - all other calls are passed on to libc, or to the plain loops of early.c while libc's functions are not bound;
 *   - code here does not call these functions by name, and keeps the compiler from doing so (see early.c).
 *
 * Operations are exact: a function keeps the bytes that it read at the point of its read on the stack until the
 * point of its write has come, because another thread may run in between.
 */
#ifndef RD_RT_HOOK_MEMORY_MEM_H
#define RD_RT_HOOK_MEMORY_MEM_H

#undef _FORTIFY_SOURCE /* its inline versions would stand in the way of our definitions */

#include "rt/hook/hook.h"

#include <string.h>

/* Calls libc's function, or that of early.c while libc's is not bound: here it may be too early to bind it. */
#define RD_PASS(name, ...)                                                            \
    (RD_LIKELY(rd_real.name != NULL) ? ((__typeof__(&name))rd_real.name)(__VA_ARGS__) \
                                     : rd_early_##name(__VA_ARGS__))

/* Returns whether the call at `pc` is to be made of operations. */
static inline bool rd_mem_watched(uint64_t pc) { return rd_hook_on() && rd_place_is_instrumented(pc); }

/*
 * Announces a read of as many bytes at s as an expression gives. The value of the expression can depend on the
 * memory (the length of a string), which may change before the turn of the read has come: when the value has become
 * larger then, the read is announced again.
 */
#define RD_MEM_READ(s, bytes, pc)                                            \
    do {                                                                     \
        for (size_t read_ = 0, now_; (now_ = (bytes)) > read_; read_ = now_) \
            rd_hook_range(s, now_, RD_OP_READ, pc);                          \
    } while (0)

/* libc's function for a failed check of _FORTIFY_SOURCE: prints "buffer overflow detected" and aborts. */
_Noreturn void __chk_fail(void);

/*
 * mem.c
 * pre, for all: rd_hook_on().
 */
/* The number of bytes that a hook may keep on the stack of the calling thread. */
size_t rd_mem_room(void) RD_HIDDEN;
/* A copy with its read and its write. The areas may overlap. */
void rd_mem_copy(void *to, const void *from, size_t size, uint64_t pc) RD_HIDDEN;
/* Writes `size` bytes of `from`, whose read was announced already, and zeros up to `total` bytes. */
void rd_mem_put(void *to, const void *from, size_t size, size_t total, uint64_t pc) RD_HIDDEN;
void rd_mem_fill(void *to, int byte, size_t size, uint64_t pc) RD_HIDDEN;

/* early.c: libc's functions without dependencies. */
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
