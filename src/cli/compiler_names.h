/* compiler_names.h - recognises the compilers and compiler launchers on a command line by their names. */
#ifndef RD_CLI_COMPILER_NAMES_H
#define RD_CLI_COMPILER_NAMES_H

#include "base/base.h"

/*
 * Is the word the name of a C or C++ compiler: gcc, clang++-14, x86_64-linux-gnu-g++, c99, /opt/bin/gcc-13? A
 * program under test that has such a name can be tested with 'raddle run'.
 */
bool rd_compiler_is(const char *word);
/* Is the word the name of a program that starts compilers: ccache, distcc? */
bool rd_compiler_launches(const char *word);
/*
 * The number of words before the compiler's options: 1 for "gcc -c x.c", 3 for "ccache distcc gcc -c x.c". 0: the
 * command starts no compiler.
 */
size_t rd_compiler_words(char **args);

#endif
