import { dirname } from "node:path";

/** What is run or obeyed later, outside of any sandbox, by whoever works in the folder: read-only wherever it exists. */
export const OBEYED_PATHS: readonly string[] = [
  // The whole of .git: besides hooks and config, a file `commondir` in it makes Git take both from elsewhere.
  ...[".git", ".gitmodules", ".gitconfig", ".config/git", ".husky", ".pre-commit-config.yaml"],
  ...[".skillet", ".agents", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json"],
  ...[
    ".vscode",
    ".idea",
    ".fleet",
    ".devcontainer",
    ".envrc",
    ".direnv",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
  ],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/fish", ".config/nushell"],
  ...[".config/autostart", ".config/systemd", ".local/bin", ".local/share/applications"],
  ...[
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".vim",
    ".config/nvim",
    ".emacs",
    ".emacs.d",
    ".tmux.conf",
    ".pam_environment",
  ],
];

const SECRETS: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".config/gcloud", ".config/gh", ".config/op"],
  ...[
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
  ],
];

// In a project these names are ordinary settings.
const SECRETS_OF_A_HOME: readonly string[] = [
  ...[".skillet", ".npmrc", ".yarnrc.yml", ".docker", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".password-store", ".local/share/keyrings", ".config/rclone", ".config/containers", ".terraform.d"],
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
  ...[
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".local/share/fish",
  ],
  ...[".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gem/credentials", ".config/hub"],
];

/** Absolute paths of credentials that a visible folder may contain; whether they exist is for the caller to see. */
export function secretPaths(folder: string, homes: readonly string[]): string[] {
  const within = homes.filter((home) => home === folder || home.startsWith(`${folder}/`));
  const isHome = within.includes(folder) || dirname(folder) === "/home";
  const allOf = (place: string): string[] =>
    [...SECRETS, ...SECRETS_OF_A_HOME].map((name) => `${place}/${name}`);
  const here = isHome ? allOf(folder) : SECRETS.map((name) => `${folder}/${name}`);
  return [...new Set([...here, ...within.flatMap(allOf)])];
}
