# Completion of skillet in fish: skillet completion fish > ~/.config/fish/completions/skillet.fish
complete -c skillet -a '(skillet __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
