import type { Act } from "../fact/act.ts";

type StartupPlace = Extract<Act, { readonly type: "persist" }>["where"];

/** Which place that is run by itself a path is: `~/.bashrc`, a crontab, a LaunchAgent, `.git/hooks/pre-commit`. */
export function startupPath(path: string): StartupPlace | undefined {
  if (path.length > MAX_PATH_CHARACTERS || path.length < 4) return undefined;
  const plain = path.replaceAll("\\", "/").toLowerCase();
  return PATHS.find(([, pattern]) => pattern.test(plain))?.[0];
}

const MAX_PATH_CHARACTERS = 1024;

const PATHS: readonly (readonly [StartupPlace, RegExp])[] = [
  [
    "shell-startup",
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc)$|\.config\/fish\/(?:config\.fish|conf\.d)|^\/etc\/(?:profile|bash\.bashrc|zsh\/|profile\.d\/|environment$)|microsoft\.powershell_profile\.ps1|^\$profile$/,
  ],
  ["cron", /^\/etc\/cron|\/var\/spool\/cron|(?:^|\/)crontab$/],
  ["launchd", /library\/launch(?:agents|daemons)/],
  // Settings that lie among the units start nothing; those in a drop-in folder (`x.service.d`) do.
  [
    "systemd",
    /(?:\/systemd\/(?:system|user)\b|\.config\/systemd)(?!(?:\/user)?\/[\w@-]{1,80}\.(?:conf|env|txt|json)$)/,
  ],
  ["git-hook", /\.git\/hooks\/(?!\S*\.sample)|core\.hookspath/],
  [
    "editor-hook",
    /\.vscode\/tasks\.json$|\.idea\/runconfigurations|\.config\/nvim\/|(?:^|\/)\.vimrc$|(?:^|\/)\.emacs/,
  ],
  ["agent-hook", /\.(?:claude|codex|gemini|cursor|openclaw|clawdbot)\/hooks?(?:\/|\.json|$)/],
  [
    "python-startup",
    /site-packages\/[^\n]{0,80}\.pth$|(?:sitecustomize|usercustomize)\.py$|(?:^|\/)\.pythonstartup/,
  ],
  [
    "login-item",
    /\.config\/autostart|start menu\/programs\/startup|\/startup\/[^\n]{0,80}\.(?:lnk|bat|vbs|exe)$/,
  ],
  ["registry-run", /currentversion\/run(?:once)?\b/],
  ["authorized-keys", /\.ssh\/authorized_keys/],
  ["service", /^\/etc\/(?:init\.d|rc\.local|rc\.d|inittab)\b/],
];
