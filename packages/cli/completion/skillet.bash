# Completion of skillet in bash. In ~/.bashrc: eval "$(skillet completion bash)"
_skillet() {
  local current=${COMP_WORDS[COMP_CWORD]} line quoted
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == "$current"* ]] || continue
    # A name is one word for the shell, whatever it holds.
    printf -v quoted %q "$line"
    COMPREPLY+=("$quoted")
  done < <(skillet __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _skillet skillet
