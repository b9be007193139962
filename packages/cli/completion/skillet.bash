# Completion of skillet in bash. In ~/.bashrc: eval "$(skillet completion bash)"
_skillet() {
  local words=() word line quoted last=-1 colons=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    # Bash breaks words at colons, and replaces only what stands after the last one.
    if ((last >= 0)) && [[ $word == :* || ${words[last]} == *: ]]; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
  done
  local current=${words[last]}
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && colons=${current%"${current##*:}"}
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == "$current"* ]] || continue
    # A name is one word for the shell, whatever it holds.
    printf -v quoted %q "${line#"$colons"}"
    COMPREPLY+=("$quoted")
  done < <(skillet __complete "${words[@]}" 2>/dev/null)
}
complete -o default -F _skillet skillet
