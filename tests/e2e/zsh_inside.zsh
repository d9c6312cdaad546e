# Read by the shell that zsh_completion.zsh starts.
PS1=
fpath=($RADDLE_FOLDER $fpath)
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then # an inner call, which only fills an array
        builtin compadd "$@"
        return
    fi
    typeset -a hits
    builtin compadd -A hits "$@"
    [[ -n $hits ]] && print -rl -- $IPREFIX$^hits >>$RADDLE_HITS
    builtin compadd "$@"
}
finished() { print -n "DO"; print "NE" }
comppostfuncs=(finished)
print -n "REA"; print "DY"
