import type { Call, Program, Shell } from "../model/call.ts";
import { hostOf } from "../model/effect.ts";
import { nameOf } from "../model/files.ts";
import { concatenate, EMPTY, known, tellingSources, UNKNOWN, unknown } from "../model/value.ts";
import { deliver, fromNetwork, isAddress } from "./fetchers.ts";

const git: Program = (call: Call, shell) => {
  const { words, texts } = call;
  const at = skipGlobal(texts);
  const verb = texts[at] ?? "";
  const rest = { ...call, words: words.slice(at), texts: texts.slice(at) };
  if (
    texts.some((text) => /^http\.sslverify=(?:false|0)$/i.test(text)) ||
    (verb === "config" && /http\.sslverify\s+(?:false|0)/i.test(texts.join(" ")))
  )
    shell.effect({
      type: "disable-protection",
      what: "certificate-check",
      detail: "git http.sslVerify=false",
    });
  if (/^(?:commit|push|merge|rebase)$/.test(verb) && texts.includes("--no-verify"))
    shell.effect({ type: "disable-protection", what: "hooks", detail: `git ${verb} --no-verify` });
  if (verb === "push") notePush(rest.texts, shell);
  if (verb === "config") noteGitConfig(rest.texts, shell);
  if (verb === "clone") return gitClone(rest, shell);
  runByGit(rest, shell);
  return EMPTY;
};

// `submodule foreach COMMAND`, `bisect run COMMAND`, `rebase -x COMMAND`, `filter-branch --tree-filter COMMAND`.
function runByGit({ words, texts }: Call, shell: Shell): void {
  const [verb = ""] = texts;
  const at = /^(?:submodule|bisect)$/.test(verb)
    ? texts.findIndex((text) => /^(?:foreach|run)$/.test(text))
    : -1;
  const rest = at === -1 ? [] : words.slice(at + 1).filter(({ text }) => text !== "--recursive");
  if (rest.length > 0) shell.inOwnFolder(() => shell.runText(concatenate(rest, " "), `git ${verb}`));
  if (!/^(?:rebase|filter-branch)$/.test(verb)) return;
  for (const [index, word] of words.entries()) {
    const inline = /^--(?:exec|[a-z]+-filter)=(.+)$/s.exec(word.text)?.[1];
    if (inline !== undefined) shell.runText({ ...word, text: inline }, `git ${verb}`);
    else if (/^(?:-x|--exec|--[a-z]+-filter)$/.test(texts[index - 1] ?? ""))
      shell.runText(word, `git ${verb}`);
  }
}

function skipGlobal(texts: readonly string[]): number {
  let at = 0;
  while (texts[at]?.startsWith("-")) at += /^-[cC]$/.test(texts[at] ?? "") ? 2 : 1;
  return at;
}

function notePush(texts: readonly string[], shell: Shell): void {
  const url = texts.find((text) => /:\/\/|@[\w.-]+:/.test(text));
  if (url !== undefined) {
    const host = hostOf(url.replace(/^[\w.-]+@/, "")) ?? "*";
    shell.effect({ type: "send", url, host });
    // What the script itself copied into the folder goes with it.
    const copied = tellingSources(shell.folderContent()).filter(({ type }) => type === "secret");
    shell.flow([{ type: "file", path: "." }, ...copied], { type: "network", how: "git", url, host });
  }
  if (texts.some((text) => /^(?:--force|-f|--mirror|--delete)$/.test(text) || /^\+\w/.test(text)))
    shell.effect({ type: "destroy", what: "repository", detail: `git ${texts.join(" ")}`.slice(0, 200) });
}

const gitClone: Program = ({ words, texts }, shell) => {
  const url = words.find(({ text }, index) => index > 0 && isAddress(text));
  if (texts[0] !== "clone" || url === undefined) return UNKNOWN;
  const after = words.slice(words.indexOf(url) + 1).find(({ text }) => !text.startsWith("-"));
  const folder = after?.text ?? nameOf(url.text.replace(/\/$/, "").replace(/\.git$/, ""));
  shell.effect({ type: "fetch", url: url.text, host: hostOf(url.text) ?? "*", to: folder });
  shell.unpack(folder, fromNetwork(url));
  return EMPTY;
};

/** Reports a setting of git that makes git start a command: from then on at every fetch, commit or status. */
function noteGitConfig(texts: readonly string[], shell: Shell): void {
  if (texts.some((text) => /^--(?:get|unset|list|remove)/.test(text))) return;
  const at = texts.findIndex((text) => COMMAND_KEY.test(text));
  const key = texts[at]?.toLowerCase();
  const value = texts[at + 1];
  if (key === undefined || value === undefined) return;
  const command = value.replace(/^!/, "");
  // `ssh -i key`, `delta`, `store`, `!gh auth git-credential`: a program with its options is what the settings are for.
  if (key !== "core.hookspath" && !REACHES_OUT.test(command)) return;
  shell.effect({ type: "persist", where: "git-hook", path: texts[at] ?? key, text: command });
  if (key === "core.hookspath") return;
  shell.runText(known(command), `git ${texts[at]}`);
  if (key === "credential.helper") noteCredentials(command, shell);
}

// Git hands a helper every password that it is given.
function noteCredentials(command: string, shell: Shell): void {
  const url = /\bhttps?:\/\/[^\s"'`;|)]{3,300}/i.exec(command)?.[0];
  if (url === undefined) return;
  shell.flow([{ type: "secret", secret: "git", name: "git credential.helper" }], {
    type: "network",
    how: "http",
    url,
    host: hostOf(url) ?? "*",
  });
}

const COMMAND_KEY =
  /^(?:alias\.[\w-]{1,60}|core\.(?:sshcommand|hookspath|fsmonitor|pager|editor|gitproxy|askpass)|credential\.(?:\S{1,200}\.)?helper|diff\.external|sequence\.editor|gpg\.program|filter\.[\w-]{1,60}\.(?:clean|smudge|process))$/i;

const REACHES_OUT =
  /\b(?:curl|wget|nc|ncat|socat|base64|eval)\b|\/dev\/tcp\/|\b(?:ba|z|da)?sh\s{1,5}(?:-c|[~/.$])|\|\s{0,5}(?:ba|z|da)?sh\b|^(?:\/tmp\/|~\/\.cache\/|\$TMPDIR)/;

const gh: Program = (call: Call, shell) => {
  const { words, texts, input } = call;
  const verb = `${texts[0] ?? ""} ${texts[1] ?? ""}`;
  if (verb === "auth token") return unknown([{ type: "secret", secret: "git", name: "gh auth token" }]);
  if (verb === "repo delete") shell.effect({ type: "destroy", what: "repository", detail: "gh repo delete" });
  if (verb === "gist view" || verb === "gist clone") {
    const gist = known(
      `https://gist.githubusercontent.com/${texts.slice(2).find((text) => !text.startsWith("-")) ?? "*"}`,
    );
    return deliver(gist, fromNetwork(gist), undefined, shell);
  }
  if (verb === "gist create") {
    const files = words.slice(2).filter(({ text }) => !text.startsWith("-"));
    shell.effect({ type: "send", url: "https://gist.github.com", host: "gist.github.com" });
    shell.flow(tellingSources([input, ...files.map((path) => shell.readFile(path))]), {
      type: "network",
      how: "http",
      url: "https://gist.github.com",
      host: "gist.github.com",
    });
  } else if (/^(?:issue|pr|release) (?:create|comment|upload|edit)$/.test(verb)) {
    const files = words.filter((_word, index) => /^(?:-F|--body-file)$/.test(texts[index - 1] ?? ""));
    shell.flow(tellingSources([input, ...words, ...files.map((path) => shell.readFile(path))]), {
      type: "network",
      how: "http",
      url: "https://github.com",
      host: "github.com",
    });
  }
  return UNKNOWN;
};

export const GIT_TOOLS: readonly (readonly [string, Program])[] = [
  ["git", git],
  ["gh", gh],
];
