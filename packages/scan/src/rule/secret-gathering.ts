import type { Scheme } from "../prose/section-signs.ts";

/** Places where secrets lie are gone through one after another. */
export const SECRET_GATHERING: Scheme = {
  cues: ["store_cue"],
  least: 4,
  message: "Secrets of several kinds are gathered",
  purpose:
    /\b(?:secrets?|credentials?|passwords?|vault|keychain|dotfiles|ssh|keys?|migrat\w+|tokens? rotation)\b/i,
  signs: [
    {
      name: "they are to be taken",
      pattern: [
        /\b(?:print|find|writ|show|output|list|collect|gather|read|includ|stor)\w*\b/,
        /\b(?:contents?|values?|each of them|all of them|in the answer|everything)\b/,
      ],
    },
    store("cloud keys", /aws (?:access )?keys|gcp keys|azure (?:keys|secrets)/),
    store("code host tokens", /github (?:pats?|tokens)|gitlab tokens|\bpats\b/),
    store("registry tokens", /npm tokens|pypi tokens/),
    store("addresses of databases", /database (?:urls|passwords|credentials)/),
    store("keys of payment services", /stripe (?:keys|secrets)/),
    store("cookies", /cookie (?:store|jar|database)/),
    store("the cloud's", /\.aws\/|\bgcloud\b|application_default_credentials|\.azure\b|aws credentials/),
    store("the shell's", /\.ssh\b|id_rsa|id_ed25519|\.pem\b|ssh keys?/),
    store("the containers'", /\.docker\/config|\.kube\b|kubeconfig/),
    store("the registries'", /\.npmrc|\.pypirc|\.gem\/credentials/),
    store("the code host's", /\.git-credentials|\.netrc|gh\/hosts\.yml|github tokens?/),
    store("the databases'", /\.pgpass|\.my\.cnf|database passwords?/),
    store("the browser's", /login data|\blocal state\b/),
    store("the browser's sessions", /\bcookies\b/),
    store(
      "the wallets'",
      /wallet\.dat|\bkeystore\b|metamask|\bexodus\b|\belectrum\b|wallet files?|solana\/id\.json/,
    ),
    store("the browser's passwords", /saved passwords|decrypt the (?:saved )?passwords/),
    store("the history's", /shell history|bash_history|zsh_history|dotfiles/),
    store("the chats'", /slack tokens?|discord tokens?|telegram sessions?|openai keys?/),
    {
      name: "they are to be taken",
      pattern:
        /\b(?:read|collect|gather|compile|copy|export|decrypt|store|harvest|include|look for|search for|pack|bundle|dump|extract|archive)\b[^\n]{0,120}\b(?:values?|contents?|credentials?|everything|all of them|them all|following files|passwords|tokens?|keys?|cookies|login data|backup|anywhere|every)\b/,
    },
  ],
};

function store(name: string, pattern: RegExp): Scheme["signs"][number] {
  return { name, pattern, weight: "weak" };
}
