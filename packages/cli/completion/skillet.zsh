# Completion of skillet in zsh. In ~/.zshrc, after compinit: eval "$(skillet completion zsh)"
_skillet() {
  local -a found
  found=("${(@f)$(skillet __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("${(@)found:#}")
  # compadd quotes what it inserts.
  if (( $#found )); then compadd -- "${found[@]}"; else _files; fi
}
compdef _skillet skillet
