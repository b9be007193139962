/** Text for models that is customarily a link to the one file that a project keeps of it. */
export const INSTRUCTIONS: readonly string[] = [
  ...["AGENTS.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".goosehints"],
  ...[".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".github/copilot-instructions.md"],
];

/** What is run or obeyed later, outside of any sandbox, by whoever works in the folder: read-only wherever it exists. */
export const OBEYED_PATHS: readonly string[] = [
  // The whole of .git: besides hooks and config, a file `commondir` in it makes Git take both from elsewhere.
  ...[".git", ".gitmodules", ".gitconfig", ".config/git", ".githooks", ".husky", ".pre-commit-config.yaml"],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".lefthook", "lefthook-local.yml"],
  ...[".github/workflows", ".github/actions", ".gitlab-ci.yml", ".circleci"],
  ...[".skillet", ".agents", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json", ".windsurf", ".kiro"],
  ...[".opencode", "opencode.json", "opencode.jsonc", ".continue", ".roo", ".amazonq", ".junie"],
  ...[".aider.conf.yml", ".github/instructions", ".github/prompts", ...INSTRUCTIONS],
  ...[".vscode", ".idea", ".fleet", ".zed", ".devcontainer", ".devcontainer.json", ".dir-locals.el"],
  ...[".envrc", ".direnv", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml", ".mise", ".nvm"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins", ".pnpmfile.cjs", "bunfig.toml"],
  ...[".cargo/config", ".cargo/config.toml", ".cargo/env", ".bundle/config", ".mvn"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh", ".config/fish"],
  ...[".config/nushell", ".config/autostart", ".config/systemd", ".config/environment.d", ".config/mise"],
  ...[".local/bin", ".local/share/applications", ".local/share/systemd", ".ssh", ".pam_environment"],
  ...[".xprofile", ".xsession", ".xsessionrc", ".xinitrc"],
  ...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".tmux.conf"],
  ...[".gdbinit", ".lldbinit"],
];

const SECRETS: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".config/op"],
  ...[".netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".pgpass", ".my.cnf"],
  ".vault-token",
];

// In a project these names are ordinary settings.
const SECRETS_OF_A_HOME: readonly string[] = [
  ...[".skillet", ".npmrc", ".yarnrc.yml", ".docker", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".password-store", ".local/share/keyrings", ".config/rclone", ".config/containers", ".terraform.d"],
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
  ...[".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".local/share/kwalletd"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
  ...[".local/share/fish", ".local/state/bash", ".local/state/zsh", ".ipython", ".cache/huggingface"],
  ...[".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gem/credentials", ".config/hub"],
  ...[".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/github-copilot"],
  ...[".config/Code/User/globalStorage", ".config/Cursor/User/globalStorage", ".config/configstore"],
  ...[".config/pip", ".config/pypoetry/auth.toml", ".config/composer/auth.json", ".local/share/gem"],
  ...[".config/sops", ".config/age", ".config/doctl", ".config/heroku", ".config/glab-cli", ".config/hcloud"],
  ...[".config/stripe", ".config/helm", ".config/solana", ".config/wandb", ".config/netlify"],
  ...[".config/.wrangler", ".local/share/com.vercel.cli", ".config/Bitwarden CLI", ".config/keepassxc"],
  ...[".config/Signal", ".config/Slack", ".config/neomutt", ".config/syncthing", ".config/filezilla"],
  ...[".local/share/remmina", ".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet"],
];

/**
 * Absolute paths of credentials that a visible folder may contain; whether they exist is for the caller to see. Of a
 * home that lies in the folder every name that begins with a dot is one, which a list cannot say.
 */
export function secretPaths(folder: string, homes: readonly string[]): string[] {
  const ofHomes = homesSeenIn(folder, homes).flatMap(secretsOf);
  const below = homes.flatMap(secretsOf).filter((path) => path.startsWith(`${folder}/`));
  return [...new Set([...SECRETS.map((name) => `${folder}/${name}`), ...ofHomes, ...below])];
}

/** The homes that somebody sees who is given a folder; one in the folder of homes is taken for one. */
export function homesSeenIn(folder: string, homes: readonly string[]): string[] {
  const within = homes.filter((home) => home === folder || home.startsWith(`${folder}/`));
  return [...new Set([...within, ...(/^(?:\/Users|(?:\/var)?\/home)\/[^/]+$/.test(folder) ? [folder] : [])])];
}

function secretsOf(home: string): string[] {
  return [...SECRETS, ...SECRETS_OF_A_HOME].map((name) => `${home}/${name}`);
}
