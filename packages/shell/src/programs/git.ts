import type { Call, Program, Shell } from "../model/call.ts";
import { hostOf } from "../model/effect.ts";
import { nameOf } from "../model/files.ts";
import {
  concatenate,
  EMPTY,
  known,
  mergeSources,
  sourcesOf,
  tellingSources,
  UNKNOWN,
  unknown,
} from "../model/value.ts";
import type { Column } from "../table/program-row.ts";
import { wideTarget } from "./destroyers.ts";
import { deliver, fromNetwork, isAddress, sendTo } from "./fetchers.ts";

const git: Program = (whole, shell) => {
  const call = whole.from(skipGlobal(whole.texts));
  const [verb = ""] = call.texts;
  if (
    whole.has(/^http\.sslverify=(?:false|0)$/i) ||
    (verb === "config" && /http\.sslverify\s+(?:false|0)/i.test(whole.joined))
  ) {
    const detail = "git http.sslVerify=false";
    shell.effect({ type: "disable-protection", what: "certificate-check", detail });
  }
  if (/^(?:commit|push|merge|rebase)$/.test(verb) && whole.texts.includes("--no-verify"))
    shell.effect({ type: "disable-protection", what: "hooks", detail: `git ${verb} --no-verify` });
  const folder = whole.after(/^-C$/)[0]?.text ?? shell.files.directory;
  const lost = verb === "clean" && call.has(/^-\w*d/) ? wideTarget(folder) : undefined;
  if (lost !== undefined) shell.effect({ type: "destroy", what: lost, detail: whole.detail });
  if (verb === "push") notePush(call, shell);
  if (/^(?:add|commit|notes|tag|stash)$/.test(verb)) noteStaged(call, shell);
  if (verb === "remote") noteRemote(call.texts, shell);
  if (verb === "credential" && call.texts[1] === "fill")
    return unknown([{ type: "secret", secret: "git", name: "git credential fill" }]);
  if (verb === "config") noteGitConfig(call.texts, shell);
  if (verb === "clone") return gitClone(call, shell);
  runByGit(call, shell);
  if (SHOWS.test(call.joined)) shell.inSubshell(() => noteShown(call, shell), whole.after(/^-C$/)[0]);
  return unknown([], verb === "ls-files" ? `${call.operands[1]?.text ?? "."}/*` : "*");
};

// A log without `-p` only names files, and a comparison shows only changes.
const SHOWS = /^(?:show|blame|grep|cat-file|log\b.* (?:-p|-u|--patch)|diff\b.* --no-index)\b/s;

/** `git show HEAD:file`, `git blame file`; a search starts with a pattern; its default is this folder. */
function noteShown({ operands: [verb, ...given] }: Call, shell: Shell): void {
  const isSearch = verb?.text === "grep";
  const places = isSearch ? given.slice(1) : given;
  for (const word of isSearch && places.length === 0 ? [known(".")] : places)
    shell.noteFile("read", { ...word, text: word.text.replace(/^[^:]*:/, "") }, "git");
}

// `submodule foreach CMD`, `bisect run CMD`, `rebase -x CMD`, `filter-branch --tree-filter CMD`.
function runByGit({ words, texts }: Call, shell: Shell): void {
  const [verb = ""] = texts;
  const at = /^(?:submodule|bisect)$/.test(verb)
    ? texts.findIndex((text) => /^(?:foreach|run)$/.test(text))
    : -1;
  const rest = at === -1 ? [] : words.slice(at + 1).filter(({ text }) => text !== "--recursive");
  if (rest.length > 0) shell.inSubshell(() => shell.runText(concatenate(rest, " "), `git ${verb}`));
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

/** Committed messages and files leave with the next push. */
function noteStaged({ words, texts }: Call, shell: Shell): void {
  const { directory } = shell.files;
  const isAll = texts.some((text) => /^(?:\.|-A|--all|-\w*a\w*)$/.test(text));
  const named = words.slice(1).map(({ text, sources }) => mergeSources(sources, shell.peek(text)));
  const copied = isAll ? [sourcesOf(shell.files.below(directory === "" ? "." : directory))] : [];
  const secrets = [...named, ...copied].flat().filter(({ type }) => type === "secret");
  shell.files.set(INDEX, unknown(secrets), { append: true });
}

const INDEX = ".git/index";

function noteRemote(texts: readonly string[], shell: Shell): void {
  const at = texts.findIndex((text) => /^(?:add|set-url)$/.test(text));
  const [name, url] = at === -1 ? [] : texts.slice(at + 1).filter((text) => !text.startsWith("-"));
  if (name !== undefined && url !== undefined) shell.setVariable(`git:${name}`, known(url));
}

function notePush(call: Call, shell: Shell): void {
  const [, remote = "origin"] = call.operands.map(({ text }) => text);
  const url =
    call.texts.find((text) => /:\/\/|@[\w.-]+:/.test(text)) ?? shell.variable(`git:${remote}`)?.text;
  if (url !== undefined) {
    const host = hostOf(url.replace(/^[\w.-]+@/, "")) ?? "*";
    shell.effect({ type: "send", url, host });
    // Files that the script itself copied into the folder leave too.
    const copied = tellingSources([...shell.files.below(shell.files.directory), shell.files.get(INDEX)]);
    const secrets = copied.filter(({ type }) => type === "secret");
    shell.flow([{ type: "file", path: "." }, ...secrets], { type: "network", how: "git", url, host });
  }
  if (call.has(/^(?:--force|-f|--mirror|--delete)$|^\+\w/))
    shell.effect({ type: "destroy", what: "repository", detail: call.detail });
}

const gitClone: Program = ({ words }, shell) => {
  const at = words.findIndex(({ text }, index) => index > 0 && isAddress(text));
  const url = words[at];
  if (url === undefined) return UNKNOWN;
  const after = words.slice(at + 1).find(({ text }) => !text.startsWith("-"));
  const folder = after?.text ?? nameOf(url.text.replace(/\/$/, "").replace(/\.git$/, ""));
  shell.effect({ type: "fetch", url: url.text, host: hostOf(url.text) ?? "*", to: folder });
  shell.files.unpack(folder, fromNetwork(url));
  return EMPTY;
};

/** Reports a git setting that makes git start a command on every later fetch, commit or status. */
function noteGitConfig(texts: readonly string[], shell: Shell): void {
  if (texts.some((text) => /^--(?:get|unset|list|remove)/.test(text))) return;
  const remote = texts.findIndex((text) => /^remote\.[^.]{1,60}\.(?:push)?url$/i.test(text));
  const url = texts[remote + 1];
  if (remote !== -1 && url !== undefined)
    shell.setVariable(`git:${texts[remote]?.split(".")[1] ?? ""}`, known(url));
  const at = texts.findIndex((text) => COMMAND_KEY.test(text));
  const key = texts[at]?.toLowerCase();
  const value = texts[at + 1];
  if (key === undefined || value === undefined) return;
  const command = value.replace(/^!/, "");
  // `ssh -i key`, `delta`, `store`, `!gh auth git-credential`: the intended use, a program with its options.
  if (key !== "core.hookspath" && !REACHES_OUT.test(command)) return;
  shell.effect({ type: "persist", where: "git-hook", path: texts[at] ?? key, text: command });
  if (key === "core.hookspath") return;
  shell.runText(known(command), `git ${texts[at]}`);
  if (key === "credential.helper") noteCredentials(command, shell);
}

// Git gives a helper every password that it receives.
function noteCredentials(command: string, shell: Shell): void {
  const url = /\bhttps?:\/\/[^\s"'`;|)]{3,300}/i.exec(command)?.[0];
  if (url === undefined) return;
  const host = hostOf(url) ?? "*";
  const sources = [{ type: "secret", secret: "git", name: "git credential.helper" }] as const;
  shell.flow(sources, { type: "network", how: "http", url, host });
}

const COMMAND_KEY =
  /^(?:alias\.[\w-]{1,60}|core\.(?:sshcommand|hookspath|fsmonitor|pager|editor|gitproxy|askpass)|credential\.(?:\S{1,200}\.)?helper|diff\.external|sequence\.editor|gpg\.program|filter\.[\w-]{1,60}\.(?:clean|smudge|process))$/i;

const REACHES_OUT =
  /\b(?:curl|wget|nc|ncat|socat|base64|eval)\b|\/dev\/tcp\/|\b(?:ba|z|da)?sh\s{1,5}(?:-c|[~/.$])|\|\s{0,5}(?:ba|z|da)?sh\b|^(?:\/tmp\/|~\/\.cache\/|\$TMPDIR)/;

const gh: Program = (call, shell) => {
  const { texts, input } = call;
  const verb = `${texts[0] ?? ""} ${texts[1] ?? ""}`;
  const operands = call.from(2).operands;
  if (verb === "repo delete") shell.effect({ type: "destroy", what: "repository", detail: "gh repo delete" });
  if (verb === "gist view" || verb === "gist clone") {
    const gist = known(`https://gist.githubusercontent.com/${operands[0]?.text ?? "*"}`);
    return deliver(gist, fromNetwork(gist), undefined, shell);
  }
  if (verb === "gist create") {
    const to = { url: "https://gist.github.com", host: "gist.github.com" };
    shell.effect({ type: "send", ...to });
    sendTo({ how: "http", ...to }, [input, ...operands.map((path) => shell.readFile(path))], shell);
  } else if (/^(?:issue|pr|release) (?:create|comment|upload|edit)$/.test(verb)) {
    const files = call.after(/^(?:-F|--body-file)$/).map((path) => shell.readFile(path));
    const to = { how: "http", url: "https://github.com", host: "github.com" } as const;
    sendTo(to, [input, ...call.words, ...files], shell);
  }
  return UNKNOWN;
};

export const GIT_TOOLS: Column<Program> = { git, gh };
