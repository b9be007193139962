import type { SecretKind } from "../fact/data-source.ts";

/**
 * Which secret a path leads to: `~/.ssh/id_ed25519` is `ssh`; undefined for ordinary paths.
 *
 * Takes paths with `~`, `$HOME`, `%USERPROFILE%`, backslashes and patterns; templates such as `.env.example` are no secret.
 */
export function classifyPath(path: string): SecretKind | undefined {
  if (path.length > MAX_PATH_CHARACTERS || path.length < 3) return undefined;
  const plain = path.replaceAll("\\", "/").toLowerCase();
  if (TEMPLATE.test(plain)) return undefined;
  return PATHS.find(([, pattern]) => pattern.test(plain))?.[0];
}

const MAX_PATH_CHARACTERS = 1024;
const TEMPLATE = /(?:\.|_|-)(?:example|sample|template|dist|tpl|schema)\b|\.pub$|known_hosts/;

const PATHS: readonly (readonly [SecretKind, RegExp])[] = [
  ["ssh", /(?:^|\/)\.ssh(?:\/|$)|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)\b/],
  [
    "cloud",
    /(?:^|\/)\.aws(?:\/|$)|(?:^|\/)\.azure(?:\/|$)|\.config\/gcloud|application_default_credentials|(?:^|\/)\.boto$|\.config\/doctl|\.oci\/config|\.aliyun\/|service[-_]account[\w-]*\.json/,
  ],
  ["kubernetes", /(?:^|\/)\.kube(?:\/|$)|kubeconfig|serviceaccount\/token/],
  [
    "package-registry",
    /(?:^|\/)\.npmrc$|(?:^|\/)\.pypirc$|\.cargo\/credentials|\.gem\/credentials|\.docker\/config\.json|\.m2\/settings\.xml|\.yarnrc|\.nuget\/nuget\.config/,
  ],
  ["netrc", /(?:^|\/)[._]netrc$/],
  ["git", /\.git-credentials|\.config\/gh\/hosts|(?:^|\/)\.config\/hub$|\.config\/glab|gitlab\/config/],
  ["gpg", /(?:^|\/)\.gnupg(?:\/|$)/],
  [
    "keychain",
    /library\/keychains|login\.keychain|\.local\/share\/keyrings|kwallet|microsoft\/(?:credentials|protect|vault)\b/,
  ],
  ["password-store", /\.password-store|\.kdbx\b|1password|bitwarden|\.config\/op\/|lastpass/],
  [
    "browser",
    /(?:chrome|chromium|brave[- ]?(?:browser|software)|edge|firefox|opera|vivaldi|safari)[^\n]{0,80}(?:login data|cookies|logins\.json|key4\.db|web data|local state|history|user data|profiles?)\b|(?:^|\/)(?:login data|cookies\.sqlite|logins\.json|key4\.db)\b|library\/(?:safari|cookies)|mozilla\/firefox|google\/chrome/,
  ],
  [
    "wallet",
    /\.(?:bitcoin|ethereum|electrum|monero|litecoin|dogecoin|zcash|exodus|atomic|solana|sui|aptos|near-credentials|cardano)(?:\/|$)|wallet\.dat\b|\/keystore(?:\/|$)|\.config\/solana|metamask|nkbihfbeogaeaoehlefnkodbefgpgknn|phantom[^\n]{0,20}(?:wallet|extension)|(?:exodus|electrum|atomic|ledger live)[^\n]{0,20}(?:wallet|app support|\/)|seed[-_ ]?phrase|mnemonic\.txt/,
  ],
  [
    "agent",
    /(?:^|\/)\.(?:claude|codex|openclaw|clawdbot|moltbot|hermes|gemini|continue|aider|cursor|windsurf|goose|opencode|qwen)(?:\/(?:[^\n]*(?:credential|auth|token|secret|session|key|history|config|settings|openclaw|\.env|\.json))|\.json|\/?$)|claude_desktop_config|\.config\/(?:openai|anthropic|github-copilot|codex|claude|opencode)\b|copilot\/hosts/,
  ],
  [
    "messenger",
    /(?:telegram desktop|tdata\b|discord\/(?:local storage|leveldb)|slack\/(?:local storage|storage|cookies)|signal\/(?:config|sql)|xinwechat|whatsapp\/|library\/messages\/chat\.db|chat\.db\b)/,
  ],
  ["shell-history", /\.(?:bash|zsh|python|node_repl|mysql|psql|sqlite)_?history\b|consolehost_history/],
  [
    "system-accounts",
    /^\/etc\/(?:shadow|gshadow|sudoers|passwd)\b|(?:^|\/)ntds\.dit|system32\/config\/sam\b/,
  ],
  [
    "environment-file",
    /(?:^|[/\s"'*])\.env(?:\.(?:local|production|prod|development|dev|staging|test|secret|\*))?$|(?:^|\/)\.envrc$|\/proc\/(?:self|\d+|\*)\/environ/,
  ],
  [
    "generic",
    /(?:^|\/)(?:credentials?|secrets?|passwords?|private[-_]?keys?|api[-_]?keys?|auth[-_]?tokens?)\.(?:json|ya?ml|toml|txt|ini|env|db|sqlite|pem|key|csv)$|\.(?:pem|p12|pfx|jks|keystore|ppk)$/,
  ],
];
