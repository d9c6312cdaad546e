/* zsh.c - the completion for zsh: a function for _arguments per command. */
#include "cli/generate/generate.h"

#include "search/search.h"

#include <stdio.h>
#include <string.h>

/* Texts are within single quotes, and in a specification brackets and colons have a meaning. */
static void print_label(const char *help, const char *special) {
    char label[256];
    rd_generate_label(help, label, sizeof label);
    for (char *c = label; *c; c++)
        if (*c == '\'')
            *c = '"';
    rd_generate_escaped(label, special, "\\");
}

static void print_action(const struct rd_takes *v) {
    switch (v->kind) {
    case RD_TAKES_WORDS:
        printf("(%s)", v->words);
        break;
    case RD_TAKES_LIST:
        printf("_values -s , value %s", v->words);
        break;
    case RD_TAKES_STRATEGY:
        fputs("_raddle_strategy", stdout);
        break;
    case RD_TAKES_FILE:
        fputs("_files", stdout);
        break;
    case RD_TAKES_FOLDER:
        fputs("_files -/", stdout);
        break;
    case RD_TAKES_PROGRAM:
        fputs("_raddle_program", stdout);
        break;
    case RD_TAKES_COMPILE:
        fputs("_files", stdout);
        break;
    case RD_TAKES_TEXT:
    case RD_TAKES_NONE:
        putchar(' ');
        break;
    }
}

static void print_option(void *ctx, const struct rd_option *o) {
    (void)ctx;
    struct rd_takes v = rd_takes_of_option(o);
    const char *plus = o->value ? "+" : "", *equals = o->value ? "=" : "";
    bool repeats = strstr(o->help, "may repeat") != NULL;
    if (o->letter && !repeats)
        printf("    '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, plus, o->name, equals);
    else if (o->letter)
        printf("    '*'{-%c%s,--%s%s}'[", o->letter, plus, o->name, equals);
    else
        printf("    '%s--%s%s[", repeats ? "*" : "", o->name, equals);
    print_label(o->help, "[]\\");
    putchar(']');
    if (o->value) {
        printf(":%s:", o->name);
        print_action(&v);
    }
    puts("' \\");
}

static void print_command(const struct rd_command *c) {
    struct rd_takes v = rd_takes_of_command(c);
    printf("  '%s')\n    _arguments -s -S -A '-*' \\\n", c->name);
    if (c->options)
        rd_options_each(c->options, print_option, NULL);
    if (v.kind == RD_TAKES_PROGRAM)
        puts("    '1:program:_raddle_program' '*::argument:_files' ;;");
    else {
        fputs(v.kind == RD_TAKES_COMPILE ? "    '*:argument:" : "    '1:argument:", stdout);
        print_action(&v);
        puts("' ;;");
    }
}

static void print_strategies(void) {
    puts("_raddle_strategy() {\n"
         "  local -a names keys\n"
         "  names=(");
    for (uint32_t i = 0; i < rd_search_count; i++) {
        printf("    '%s:", rd_searches[i]->name);
        print_label(rd_searches[i]->summary, ":\\");
        puts("'");
    }
    puts("  )\n"
         "  if ! compset -P '*:'; then\n"
         "    _describe -t strategies strategy names -S ''\n"
         "    return\n"
         "  fi\n"
         "  case ${IPREFIX##*[[:space:]=]} in");
    for (uint32_t i = 0; i < rd_search_count; i++) {
        if (!rd_searches[i]->keys[0])
            continue;
        printf("  *%s:) keys=(", rd_searches[i]->name);
        for (const char *w = rd_searches[i]->keys; *w; w += strspn(w, " ")) {
            size_t all = strcspn(w, " "), n = strcspn(w, " #=");
            printf("'%.*s%s' ", (int)n, w, n < all ? "=" : "");
            w += all;
        }
        puts(") ;;");
    }
    puts("  esac\n"
         "  compset -P '*,'\n"
         "  compadd -S '' -a keys\n"
         "}\n"
         "_raddle_program() {\n"
         "  _alternative 'commands:program:_command_names -e' 'files:program:_files'\n"
         "}");
}

void rd_generate_zsh(void) {
    char words[1024];
    puts("#compdef raddle\n"
         "# zsh completion for raddle; made by 'raddle --generate zsh'");
    print_strategies();
    puts("_raddle() {\n"
         "  local -a commands\n"
         "  commands=(");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        const struct rd_command *c = rd_commands[i];
        if (!rd_generate_is_command(c) || strchr(c->name, ' '))
            continue;
        printf("    '%s:", c->name);
        print_label(c->summary, ":\\");
        puts("'");
    }
    rd_generate_words(true, words, sizeof words);
    printf("    'help:a page about a command'\n"
           "  )\n"
           "  if (( CURRENT == 2 )); then\n"
           "    _describe -t commands command commands || _raddle_program # as 'raddle run PROGRAM'\n"
           "    return\n"
           "  fi\n"
           "  local command=$words[2]\n"
           "  if [[ $command == list && $words[3] == variables ]] && (( CURRENT > 3 )); then\n"
           "    command='list variables'\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "  fi\n"
           "  shift words\n"
           "  (( CURRENT-- ))\n"
           "  case $command in\n"
           "  help) _arguments '1:page:(%s)' ;;\n",
           words);
    for (uint32_t i = 0; i < rd_command_count; i++)
        if (rd_generate_is_command(rd_commands[i]))
            print_command(rd_commands[i]);
    puts("  *) _files ;;\n"
         "  esac\n"
         "}\n"
         "_raddle \"$@\"");
}
