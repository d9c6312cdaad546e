/*
 * bash.c - the completion for bash. The script needs nothing but bash itself, and it reads the words of the line on
 * its own: bash divides them at ':' and '=', which are part of a strategy.
 */
#include "cli/generate/generate.h"

#include "search/search.h"

#include <stdio.h>
#include <string.h>

/* The names of the parameters of a strategy, with '=' where a value follows. */
static void print_keys(const char *keys) {
    for (const char *w = keys; *w; w += strspn(w, " ")) {
        size_t all = strcspn(w, " "), n = strcspn(w, " #=");
        printf("%s%.*s%s", w == keys ? "" : " ", (int)n, w, n < all ? "=" : "");
        w += all;
    }
}

static void print_strategies(void) {
    puts("_raddle_strategy() { # the beginning of NAME:key=value,...\n"
         "    local keys= rest=${1##*[:,]}\n"
         "    compopt -o nospace 2>/dev/null\n"
         "    if [[ $1 != *:* ]]; then");
    fputs("        COMPREPLY=($(compgen -W '", stdout);
    for (uint32_t i = 0; i < rd_search_count; i++)
        printf("%s%s", i ? " " : "", rd_searches[i]->name);
    puts("' -- \"$1\"))\n"
         "        return\n"
         "    fi\n"
         "    case ${1%%:*} in");
    for (uint32_t i = 0; i < rd_search_count; i++) {
        if (!rd_searches[i]->keys[0])
            continue;
        printf("    %s) keys='", rd_searches[i]->name);
        print_keys(rd_searches[i]->keys);
        puts("' ;;");
    }
    puts("    esac\n"
         "    COMPREPLY=($(compgen -P \"${1%\"$rest\"}\" -W \"$keys\" -- \"$rest\"))\n"
         "}\n"
         "_raddle_list() { # WORDS, the beginning of a list with commas\n"
         "    local rest=${2##*,}\n"
         "    compopt -o nospace 2>/dev/null\n"
         "    COMPREPLY=($(compgen -P \"${2%\"$rest\"}\" -W \"$1\" -- \"$rest\"))\n"
         "}\n"
         "_raddle_files() { # an action of compgen, the beginning of a path\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
         "}\n"
         "_raddle_program() {\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <({ [[ $1 == */* ]] || compgen -c -- \"$1\"; compgen -f -- \"$1\"; } | sort "
         "-u)\n"
         "}");
}

static void print_value(const struct rd_takes *v) {
    switch (v->kind) {
    case RD_TAKES_WORDS:
        printf("COMPREPLY=($(compgen -W '%s' -- \"$3\"))", v->words);
        break;
    case RD_TAKES_LIST:
        printf("_raddle_list '%s' \"$3\"", v->words);
        break;
    case RD_TAKES_STRATEGY:
        fputs("_raddle_strategy \"$3\"", stdout);
        break;
    case RD_TAKES_FILE:
        fputs("_raddle_files -f \"$3\"", stdout);
        break;
    case RD_TAKES_FOLDER:
        fputs("_raddle_files -d \"$3\"", stdout);
        break;
    case RD_TAKES_PROGRAM:
        fputs("_raddle_program \"$3\"", stdout);
        break;
    case RD_TAKES_COMPILE:
        fputs("_raddle_files -f \"$3\"", stdout);
        break;
    case RD_TAKES_TEXT:
    case RD_TAKES_NONE:
        putchar(':');
        break;
    }
}

static void print_value_case(void *command, const struct rd_option *o) {
    const struct rd_command *c = command;
    struct rd_takes v = rd_takes_of_option(o);
    if (v.kind == RD_TAKES_NONE)
        return;
    printf("    '%s --%s'", c->name, o->name);
    if (o->letter)
        printf(" | '%s -%c'", c->name, o->letter);
    fputs(") ", stdout);
    print_value(&v);
    puts(" ;;");
}

static void print_name(void *ctx, const struct rd_option *o) {
    (void)ctx;
    printf("--%s ", o->name);
    if (o->letter)
        printf("-%c ", o->letter);
}

static void print_tables(void) {
    puts("_raddle_value() { # COMMAND OPTION, the beginning of its value. False: it takes none\n"
         "    case \"$1 $2\" in");
    for (uint32_t i = 0; i < rd_command_count; i++)
        if (rd_generate_is_command(rd_commands[i]) && rd_commands[i]->options)
            rd_options_each(rd_commands[i]->options, print_value_case, (void *)rd_commands[i]);
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "}\n"
         "_raddle_argument() { # COMMAND, -, the beginning of the first word that is no option. Sets `options`\n"
         "    case $1 in");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        const struct rd_command *c = rd_commands[i];
        if (!rd_generate_is_command(c))
            continue;
        printf("    '%s') options='", c->name);
        if (c->options)
            rd_options_each(c->options, print_name, NULL);
        fputs("'; ", stdout);
        struct rd_takes v = rd_takes_of_command(c);
        print_value(&v);
        puts(" ;;");
    }
    char words[1024];
    rd_generate_words(true, words, sizeof words);
    printf("    help) options=; COMPREPLY=($(compgen -W '%s' -- \"$3\")) ;;\n", words);
    puts("    *) options=; _raddle_files -f \"$3\" ;;\n"
         "    esac\n"
         "}");
}

static void print_split(void) {
    puts("_raddle_split() { # a line. Sets `words`: its words without quotes; the last one may be empty, or not "
         "closed\n"
         "    local rest=$1 word= begun= quote= c\n"
         "    while [[ $rest ]]; do\n"
         "        c=${rest:0:1} rest=${rest:1}\n"
         "        if [[ $quote != \\' && $c == \\\\ ]]; then\n"
         "            [[ $quote && ${rest:0:1} != [\\\\\\\"\\$\\`] ]] && word+=$c\n"
         "            word+=${rest:0:1} rest=${rest:1} begun=1\n"
         "        elif [[ $quote ]]; then\n"
         "            [[ $c == \"$quote\" ]] && quote= || word+=$c\n"
         "        elif [[ $c == [\\'\\\"] ]]; then\n"
         "            quote=$c begun=1\n"
         "        elif [[ $c != [[:space:]] ]]; then\n"
         "            word+=$c begun=1\n"
         "        elif [[ $begun ]]; then\n"
         "            words+=(\"$word\") word= begun=\n"
         "        fi\n"
         "    done\n"
         "    words+=(\"$word\")\n"
         "}");
}

void rd_generate_bash(void) {
    char words[1024];
    puts("# bash completion for raddle; made by 'raddle --generate bash'");
    print_strategies();
    print_tables();
    rd_generate_words(false, words, sizeof words);
    printf(
        "_raddle_first() {\n"
        "    COMPREPLY=($(compgen -W '%s --version --help' -- \"$1\"))\n"
        "    [[ ! $1 || $1 == -* || ${#COMPREPLY[@]} -gt 0 ]] || _raddle_program \"$1\" # as 'raddle run PROGRAM'\n"
        "}\n",
        words);
    print_split();
    puts("_raddle() {\n"
         "    local line=${COMP_LINE:0:COMP_POINT} cur command options i last all\n"
         "    local -a words=()\n"
         "    _raddle_split \"$line\"\n"
         "    last=$((${#words[@]} - 1)) cur=${words[-1]} COMPREPLY=()\n"
         "    if ((last < 2)); then\n"
         "        _raddle_first \"$cur\"\n"
         "        return\n"
         "    fi\n"
         "    command=${words[1]} i=2\n"
         "    if ((last > 2)) && [[ $command == list && ${words[2]} == variables ]]; then\n"
         "        command='list variables' i=3\n"
         "    fi\n"
         "    while ((i < last)) && [[ ${words[i]} == -?* ]]; do\n"
         "        if [[ ${words[i]} == -- ]]; then\n"
         "            ((++i == last)) && _raddle_argument \"$command\" - \"$cur\" && return\n"
         "            break\n"
         "        fi\n"
         "        if _raddle_value \"$command\" \"${words[i]}\" \"$cur\"; then # its value is the next word\n"
         "            if ((++i == last)); then\n"
         "                _raddle_trim \"$cur\"\n"
         "                return\n"
         "            fi\n"
         "        fi\n"
         "        ((++i))\n"
         "    done\n"
         "    COMPREPLY=()\n"
         "    if ((i < last)); then # the arguments of a program, of a compiler\n"
         "        _raddle_files -f \"$cur\"\n"
         "    elif [[ $cur == --*=* ]] && _raddle_value \"$command\" \"${cur%%=*}\" \"${cur#*=}\"; then\n"
         "        COMPREPLY=(\"${COMPREPLY[@]/#/${cur%%=*}=}\")\n"
         "        _raddle_trim \"$cur\"\n"
         "    else\n"
         "        _raddle_argument \"$command\" - \"$cur\"\n"
         "        [[ $cur == -* ]] && COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "    fi\n"
         "}\n"
         "_raddle_trim() { # bash replaces only what follows the last character at which it divides words\n"
         "    local kept=${1##*[:=]}\n"
         "    [[ $COMP_WORDBREAKS == *:* ]] || kept=${1##*=}\n"
         "    local before=${1%\"$kept\"}\n"
         "    COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
         "}\n"
         "complete -F _raddle raddle");
}
