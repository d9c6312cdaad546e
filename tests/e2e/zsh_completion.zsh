# zsh -f zsh_completion.zsh FOLDER LINE: the completions that an interactive zsh offers for the line, one a line, with the
# function _raddle in FOLDER. The shell runs in a pseudo-terminal; a function in the place of the builtin compadd sees what
# is offered.
zmodload zsh/zpty || exit 77
export RADDLE_FOLDER=$1 RADDLE_HITS=$(mktemp)
zpty shell zsh -f -i
zpty -w shell 'source '${0:A:h}/zsh_inside.zsh
zpty -r shell answer '*READY*' # the terminal shows the word when the file is read
zpty -n -w shell "$2"$'\t'
zpty -r shell answer '*DONE*'
sort -u $RADDLE_HITS
rm -f $RADDLE_HITS
zpty -d shell
