import { posix } from "node:path";
import type { Act, SecretKind } from "../fact/fact.ts";
import { kindByName } from "../file/file-kind.ts";

/**
 * Which secret a path leads to: `~/.ssh/id_ed25519` is `ssh`; undefined for ordinary paths. Accepts `~`,
 * `$HOME`, `%USERPROFILE%`, backslashes and patterns; templates such as `.env.example` are not secrets.
 */
export function classifyPath(path: string): SecretKind | undefined {
  const kind = kindOf(path, SECRETS);
  return kind !== undefined && TEMPLATE.test(path.toLowerCase()) ? undefined : kind;
}

/** Also covers private data that is not secret: a home folder, and other programs' files in it. */
export function privateKind(path: string): SecretKind | undefined {
  const kind = classifyPath(path) ?? kindOf(path, PRIVATE_PLACES);
  return kind !== undefined && TEMPLATE.test(path.toLowerCase()) ? undefined : kind;
}

// A credential-like name in the home or system folders, then any other program's file, then the whole folder.
const HOME = String.raw`^(?:~|\$home|/root|/home/[^/]+|/users/[^/]+|[a-z]:/users/[^/]+)`;
const PRIVATE_PLACES: Kinds<SecretKind> = kindsOf<SecretKind>({
  generic: new RegExp(
    String.raw`(?:${HOME}/(?:\.|library/|appdata/)|^/run/|^/var/|^/etc/)(?:[^\n]*[/._-])?(?:credentials?|creds|secrets?|passwords?|passwd|pass|tokens?|auth|oauth|api-?keys?|private|keys?|keystores?|sessions?|cookies?|wallets?|accounts?|vault)(?:[_-][\w-]*)?(?:\.[\w.-]{1,20})?(?:/\*?)?$|${HOME}/\.[\w-]*(?:auth|token|pass|cred|secret)[\w-]*$|^/etc/(?:wireguard|openvpn|networkmanager/system-connections|ssl/private|ssh/ssh_host_\w+_key)|(?:^|/)(?:master|private|server|client|signing|deploy|secret)[-_.]?key$|(?:^|/)(?:terraform\.tfstate|wp-config\.php)$`,
  ),
  private: new RegExp(
    String.raw`${HOME}/(?:\.(?!(?:cache|nvm|npm|rustup|pyenv|rbenv|volta|deno|bun|asdf|sdkman|oh-my-zsh|vim|local/bin|local/state|cargo/bin|cargo/registry|trash|ds_store|bashrc|bash_profile|profile|zshrc|zshenv|zprofile|vimrc|gitconfig|gitignore|editorconfig|tmux\.conf|inputrc)(?:/|$|_global))[\w-]+|library/application support/[^/]|appdata/(?:roaming|local)/[^/])`,
  ),
  home: new RegExp(
    `${HOME}(?:/(?:\\*{1,2}|\\.|documents|desktop|downloads|pictures|photos|music|movies|videos|library)?(?:/\\*{0,2})?)?$`,
  ),
});

const MAX_PATH_CHARACTERS = 1024;

/** In order: the first match wins. */
type Kinds<Kind> = readonly (readonly [Kind, RegExp])[];

function kindsOf<Kind extends string>(patterns: Partial<Readonly<Record<Kind, RegExp>>>): Kinds<Kind> {
  return Object.entries(patterns) as [Kind, RegExp][];
}

function kindOf<Kind>(path: string, kinds: Kinds<Kind>): Kind | undefined {
  if (path.length > MAX_PATH_CHARACTERS) return undefined;
  const slashed = path.replaceAll("\\", "/").toLowerCase();
  // `/tmp/../root/.ssh` leads there as well.
  const plain = /^[~/].*\/\.{0,2}\//.test(slashed) ? posix.normalize(slashed) : slashed;
  return kinds.find(([, pattern]) => pattern.test(plain))?.[0];
}

const TEMPLATE = /(?:\.|_|-)(?:example|sample|template|dist|tpl|schema)\b|\.pub$|known_hosts/;

const SECRETS: Kinds<SecretKind> = kindsOf<SecretKind>({
  ssh: /(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)id_(?:(?:rsa|dsa|ecdsa|ed25519)\b|\*)/,
  cloud:
    /(?:^|\/)\.aws(?:\/|$)|(?:^|\/)\.azure(?:\/|$)|\.config\/gcloud|application_default_credentials|(?:^|\/)\.boto$|\.config\/doctl|\.oci\/config|\.aliyun\/|service[-_]account[\w-]*\.json/,
  kubernetes: /(?:^|\/)\.kube(?:\/|$)|kubeconfig|serviceaccount\/token/,
  "package-registry":
    /(?:^|\/)\.npmrc$|(?:^|\/)\.pypirc$|\.cargo\/credentials|\.gem\/credentials|\.docker\/config\.json|\.m2\/settings\.xml|\.yarnrc|\.nuget\/nuget\.config/,
  netrc: /(?:^|\/)[._]netrc$/,
  git: /\.git-credentials|\.config\/gh\/hosts|(?:^|\/)\.config\/hub$|\.config\/glab|gitlab\/config/,
  gpg: /(?:^|\/)\.gnupg(?:\/|$)/,
  keychain:
    /library\/keychains|login\.keychain|\.local\/share\/keyrings|kwallet|microsoft\/(?:credentials|protect|vault)\b/,
  "password-store": /\.password-store|\.kdbx\b|1password|bitwarden|\.config\/op\/|lastpass/,
  browser:
    /(?:chrome|chromium|brave[- ]?(?:browser|software)|edge|firefox|opera|vivaldi|safari)[^\n]{0,80}(?:login data|cookies|logins\.json|key4\.db|web data|local state|history|user data|profiles?)\b|(?:^|\/)(?:login data|cookies\.sqlite|logins\.json|key4\.db)\b|library\/(?:safari|cookies)|mozilla\/firefox|google\/chrome/,
  wallet:
    /\.(?:bitcoin|ethereum|electrum|monero|litecoin|dogecoin|zcash|exodus|atomic|solana|sui|aptos|near-credentials|cardano)(?:\/|$)|wallet\.dat\b|\/keystore(?:\/|$)|\.config\/solana|metamask|nkbihfbeogaeaoehlefnkodbefgpgknn|phantom[^\n]{0,20}(?:wallet|extension)|(?:exodus|electrum|atomic|ledger live)[^\n]{0,20}(?:wallet|app support|\/)|seed[-_ ]?phrase|mnemonic\.txt/,
  agent:
    /(?:^|\/)\.(?:claude|codex|openclaw|clawdbot|moltbot|hermes|gemini|continue|aider|cursor|windsurf|goose|opencode|qwen)(?:\/(?:[^\n]*(?:credential|auth|token|secret|session|key|history|config|settings|openclaw|\.env|\.json))|\.json|\/?$)|claude_desktop_config|\.config\/(?:openai|anthropic|github-copilot|codex|claude|opencode)\b|copilot\/hosts/,
  messenger:
    /(?:telegram desktop|tdata\b|discord\/(?:local storage|leveldb)|slack\/(?:local storage|storage|cookies)|signal\/(?:config|sql)|xinwechat|whatsapp\/|library\/messages\/chat\.db|chat\.db\b)/,
  "shell-history": /\.(?:bash|zsh|python|node_repl|mysql|psql|sqlite)_?history\b|consolehost_history/,
  "system-accounts": /^\/etc\/(?:shadow|gshadow|sudoers|passwd)\b|(?:^|\/)ntds\.dit|system32\/config\/sam\b/,
  "environment-file":
    /(?:^|[/\s"'*])\.env(?:\.(?:local|production|prod|development|dev|staging|test|secret|\*))?$|(?:^|\/)\.envrc$|\/proc\/(?:self|\d+|\*)\/environ/,
  generic:
    /(?:^|\/)(?:credentials?|secrets?|passwords?|private[-_]?keys?|api[-_]?keys?|auth[-_]?tokens?)\.(?:json|ya?ml|toml|txt|ini|env|db|sqlite|pem|key|csv)$|(?<!ca|root|bundle|chain|public)\.pem$|\.(?:p12|pfx|jks|keystore|ppk)$/,
});

type AgentPart = Extract<Act, { readonly type: "agent-config" }>["what"];

/** Which part of an agent's control plane a path is: `CLAUDE.md` is memory, `.claude/settings.json` settings. */
export function agentPath(path: string): AgentPart | undefined {
  return kindOf(path, AGENT_PARTS);
}

const AGENT_PARTS: Kinds<AgentPart> = kindsOf<AgentPart>({
  "mcp-server":
    /(?:^|\/)\.?mcp(?:[-_]?(?:config|servers?|settings))?\.json$|claude_desktop_config\.json$|mcp_settings\.json$/,
  hook: /\.(?:claude|codex|gemini|cursor|openclaw|clawdbot)\/hooks?(?:\/|\.json|$)/,
  skill:
    /(?:^|\/)\.(?:claude|agents?|codex|skillet|openclaw|clawdbot|hermes|gemini|cursor)\/(?:skills|plugins|agents|commands)(?:\/|$)|(?:^|\/)openclaw\/skills(?:\/|$)/,
  settings:
    /\.(?:claude|gemini|qwen)\/settings(?:\.local)?\.json$|(?:^|[/~])\.claude\.json$|\.codex\/config\.toml$|\.(?:openclaw|clawdbot|moltbot)\/(?:openclaw|clawdbot|moltbot|config)\.json$|\.cursor\/(?:settings|cli)\.json$|\.aider\.conf\.yml$|\.continue\/config\.(?:json|ya?ml)$|\.hermes\/config\.ya?ml$|opencode\.jsonc?$/,
  memory:
    /(?:^|[\s/"'~])(?:claude|agents|gemini|soul|memory|identity|heartbeat|user|tools|bootstrap|copilot-instructions|qwen|codex|conventions)\.md$|\.cursorrules$|\.windsurfrules$|\.clinerules|\.cursor\/rules|(?:^|\/)memory\/[^\n]{0,80}\.md$/,
});

/** The language of a settings file, in which text written to it is read. */
export function settingsLanguage(path: string): "json" | "toml" | "yaml" | undefined {
  const kind = kindByName(path);
  return kind === "json" || kind === "toml" || kind === "yaml" ? kind : undefined;
}

type StartupPlace = Extract<Act, { readonly type: "persist" }>["where"];

/** Which automatically run place a path is: `~/.bashrc`, a crontab, a LaunchAgent, `.git/hooks/pre-commit`. */
export function startupPath(path: string): StartupPlace | undefined {
  return kindOf(path, STARTUP_PLACES);
}

const STARTUP_PLACES: Kinds<StartupPlace> = kindsOf<StartupPlace>({
  "shell-startup":
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc)$|\.config\/fish\/(?:config\.fish|conf\.d)|^\/etc\/(?:profile|bash\.bashrc|zsh\/|profile\.d\/|environment$)|microsoft\.powershell_profile\.ps1|^\$profile$/,
  cron: /^\/etc\/cron|\/var\/spool\/cron|(?:^|\/)crontab$/,
  launchd: /library\/launch(?:agents|daemons)/,
  // Settings files among the units start nothing; those in a drop-in folder (`x.service.d`) do.
  systemd:
    /(?:\/systemd\/(?:system|user)\b|\.config\/systemd)(?!(?:\/user)?\/[\w@-]{1,80}\.(?:conf|env|txt|json)$)/,
  "git-hook": /\.git\/hooks\/(?!\S*\.sample)|core\.hookspath/,
  "editor-hook":
    /\.vscode\/tasks\.json$|\.idea\/runconfigurations|\.config\/nvim\/|(?:^|\/)\.vimrc$|(?:^|\/)\.emacs/,
  "agent-hook": /\.(?:claude|codex|gemini|cursor|openclaw|clawdbot)\/hooks?(?:\/|\.json|$)/,
  "python-startup":
    /site-packages\/[^\n]{0,80}\.pth$|(?:sitecustomize|usercustomize)\.py$|(?:^|\/)\.pythonstartup/,
  "login-item":
    /\.config\/autostart|start menu\/programs\/startup|\/startup\/[^\n]{0,80}\.(?:lnk|bat|vbs|exe)$/,
  "registry-run": /currentversion\/run(?:once)?\b/,
  "authorized-keys": /\.ssh\/authorized_keys/,
  service: /^\/etc\/(?:init\.d|rc\.local|rc\.d|inittab)\b/,
});

export function isSharedPlace(path: string): boolean {
  return /^\/(?:var\/)?tmp\/[^*]|^\/dev\/shm\//.test(path);
}

/** Whether an environment variable's name says that its value is a secret: one named key is an `own-key`. */
export function classifyVariable(name: string): SecretKind | undefined {
  if (name.length > MAX_NAME_CHARACTERS || PUBLIC.test(name)) return undefined;
  if (WALLET.test(name)) return "wallet";
  return SECRET.test(name) ? "own-key" : undefined;
}

const MAX_NAME_CHARACTERS = 128;
const PUBLIC =
  /PUBLIC_?KEY|KEY_?(?:ID|PATH|FILE|NAME|BOARD|SPACE)$|TOKEN_?(?:LIMIT|COUNT|TYPE|URL|FILE|PATH)$|MAX_TOKENS?|TOKENIZERS?|KEYWORDS?/i;
const WALLET =
  /MNEMONIC|SEED_?PHRASE|WALLET_?(?:PRIVATE_?)?(?:KEY|SEED)|^PRIVATE_KEY$|EVM_PRIVATE|SOLANA_PRIVATE/i;
const SECRET =
  /(?:^|_)(?:API_?KEY|APIKEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|BEARER|COOKIE|SESSION|PAT|DSN|PRIVATE_KEY)S?(?:_|$)|(?:^|_)(?:ACCESS|AUTH|REFRESH|BOT|API|SECRET)(?:TOKEN|KEY)$|^(?:DATABASE|MONGO(?:DB)?|REDIS|POSTGRES(?:QL)?|MYSQL)_?UR[IL]$/i;
