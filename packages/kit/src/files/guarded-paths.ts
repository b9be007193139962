/** Which of these paths the file is at or below, at any depth and in any case, which some disks ignore. */
export function guardedBy(file: string, guarded: readonly string[]): string | undefined {
  const at = `/${file}/`.replaceAll("\\", "/").toLowerCase();
  return guarded.find((name) => at.includes(`/${name.toLowerCase()}/`));
}

function words(text: string): readonly string[] {
  return text.match(/\S+/g) ?? [];
}

/** Text for models; each is often a link to the one file with a project's instructions. */
export const INSTRUCTION_PATHS: readonly string[] = words(`
  AGENTS.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md .goosehints .cursorrules .windsurfrules .clinerules .rules
  .github/copilot-instructions.md`);

/**
 * Run or obeyed later, outside any sandbox, by users and tools in the folder: read-only wherever it exists.
 * All of .git, because besides hooks and config, a file `commondir` makes Git read both from elsewhere.
 */
export const OBEYED_PATHS: readonly string[] = [
  ...INSTRUCTION_PATHS,
  ...words(`
  .git .gitmodules .gitconfig .config/git .githooks .husky .pre-commit-config.yaml lefthook.yml lefthook.yaml
  .lefthook.yml .lefthook.yaml .lefthook lefthook-local.yml .github/workflows .github/actions .gitlab-ci.yml .circleci
  .skillet .agents .claude .codex .cursor .gemini .mcp.json .windsurf .kiro .opencode opencode.json opencode.jsonc
  .continue .roo .amazonq .junie .aider.conf.yml .github/instructions .github/prompts
  .vscode .idea .fleet .zed .devcontainer .devcontainer.json .dir-locals.el
  .envrc .direnv .tool-versions mise.toml .mise.toml mise.local.toml .mise .nvm
  .npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnpmfile.cjs bunfig.toml
  .cargo/config .cargo/config.toml .cargo/env .bundle/config .mvn
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc
  .zshrc .zshenv .zprofile .zlogin .zlogout .oh-my-zsh .config/fish .config/nushell
  .config/autostart .config/systemd .config/environment.d .config/mise .local/bin .local/share/applications
  .local/share/systemd .ssh .pam_environment .xprofile .xsession .xsessionrc .xinitrc
  .vimrc .exrc .nvimrc .nvim.lua .vim .config/nvim .emacs .emacs.d .tmux.conf .gdbinit .lldbinit`),
];

export const SECRET_PATHS: readonly string[] = words(`
  .ssh .gnupg .aws .azure .kube .config/gcloud .config/gh .config/op .netrc .git-credentials .config/git/credentials
  .pypirc .pgpass .my.cnf .vault-token`);
