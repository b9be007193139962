import type { Call, Program, Shell } from "../shell-call.ts";
import {
  EMPTY,
  known,
  mergeSources,
  replaceBounded,
  sourcesOf,
  UNKNOWN,
  unknown,
  type Value,
} from "../value.ts";
import { outsideValue } from "../variables.ts";
import { WHOLE_ENVIRONMENT } from "./builtins.ts";
import { runElsewhere } from "./run-elsewhere.ts";

/** A program that starts the command in its arguments, behind options and perhaps a word of its own. */
interface Wrapper {
  /** Options whose value is the next word. */
  readonly valued?: string;
  readonly operands?: number;
}

const WRAPPERS: readonly (readonly [string, Wrapper])[] = [
  ["nohup", {}],
  ["command", {}],
  ["builtin", {}],
  ["exec", { valued: "-a" }],
  ["time", { valued: "-f -o" }],
  ["nice", { valued: "-n" }],
  ["ionice", { valued: "-c -n -p" }],
  ["timeout", { valued: "-k -s --signal --kill-after", operands: 1 }],
  ["gtimeout", { valued: "-k -s", operands: 1 }],
  ["stdbuf", { valued: "-i -o -e" }],
  ["setsid", {}],
  ["unbuffer", {}],
  ["caffeinate", { valued: "-t -w" }],
  ["doas", { valued: "-u -C" }],
  ["pkexec", { valued: "--user" }],
  ["chroot", { operands: 1 }],
  ["flock", { valued: "-w -E", operands: 1 }],
  ["watch", { valued: "-n --interval" }],
  ["busybox", {}],
  ["toybox", {}],
  ["arch", {}],
  ["proxychains", { valued: "-f" }],
  ["proxychains4", { valued: "-f" }],
  ["torsocks", {}],
  ["start", { valued: "/d" }],
  ["call", {}],
  ["screen", { valued: "-S -dmS -mdS -DmS -t -c -p -T" }],
];

function wrapped({ valued = "", operands = 0 }: Wrapper): Program {
  const names = new Set(valued.split(" "));
  return ({ program, words, texts, input }, shell) => {
    if (program === "command" && /^-[vV]$/.test(texts[0] ?? "")) return EMPTY;
    if (program === "doas" || program === "pkexec")
      shell.act({ type: "privilege", how: "sudo", detail: program });
    const at = skip(texts, names) + operands;
    return at < words.length ? shell.runWords(words.slice(at), input) : EMPTY;
  };
}

/** Where the words behind the options begin. */
function skip(texts: readonly string[], valued: ReadonlySet<string>): number {
  let at = 0;
  while (at < texts.length) {
    const text = texts[at] ?? "";
    if (text === "--") return at + 1;
    if (!/^[-/]\w/.test(text) && !text.startsWith("--")) return at;
    // A path looks like an option of a Windows program.
    if (text.startsWith("/") && !/^\/\w{1,5}$/.test(text)) return at;
    at += valued.has(text) ? 2 : 1;
  }
  return at;
}

const sudo: Program = ({ words, texts, input }, shell) => {
  shell.act({ type: "privilege", how: "sudo", detail: texts.join(" ").slice(0, 200) });
  const at = skip(texts, new Set(["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "--user", "--group"]));
  return runBehindAssignments(words.slice(at), input, shell);
};

const env: Program = ({ words, texts, input }, shell) => {
  const split = texts.findIndex((text) => text === "-S" || text === "--split-string");
  if (split !== -1) return shell.runText(words[split + 1] ?? UNKNOWN, "env");
  const at = skip(texts, new Set(["-u", "-C", "--unset", "--chdir"]));
  const rest = words.slice(at);
  if (rest.every(({ text }) => isAssignment(text))) return WHOLE_ENVIRONMENT;
  return runBehindAssignments(rest, input, shell);
};

function runBehindAssignments(words: readonly Value[], input: Value | undefined, shell: Shell): Value {
  const at = words.findIndex(({ text }) => !isAssignment(text));
  for (const { text, ...rest } of at === -1 ? words : words.slice(0, at)) {
    const equals = text.indexOf("=");
    shell.setVariable(text.slice(0, equals), { ...rest, text: text.slice(equals + 1) });
  }
  return at === -1 ? EMPTY : shell.runWords(words.slice(at), input);
}

function isAssignment(text: string): boolean {
  return /^\w{1,100}=/.test(text);
}

/** `tmux new-session -d 'command'`: a text, or a command by its words. */
const tmux: Program = ({ words, texts, input }, shell) => {
  if (
    !/^(?:new(?:-session)?|neww|new-window|splitw|split-window|run(?:-shell)?|respawn-\w{4,6})$/.test(
      texts[0] ?? "",
    )
  )
    return EMPTY;
  const rest = words.slice(1 + skip(texts.slice(1), new Set("-s -n -c -t -x -y -F -e -l -b".split(" "))));
  const [only] = rest;
  if (only === undefined) return EMPTY;
  return rest.length === 1 ? shell.runText(only, "tmux") : shell.runWords(rest, input);
};

const su: Program = ({ words, texts, input }, shell) => {
  shell.act({ type: "privilege", how: "sudo", detail: "su" });
  const at = texts.findIndex((text) => text === "-c" || text === "--command");
  if (at !== -1) return shell.runText(words[at + 1] ?? UNKNOWN, "su");
  return input === undefined ? EMPTY : shell.runText(input, "su");
};

const script: Program = ({ words, texts }, shell) => {
  const at = texts.findIndex((text) => /^-\w*c$/.test(text));
  return at === -1 ? EMPTY : shell.runText(words[at + 1] ?? UNKNOWN, "script");
};

/** Without a command of its own it runs what it reads. */
const parallel: Program = (call, shell) => {
  const { words, texts, input } = call;
  const at = skip(texts, new Set(["-j", "-N", "-a", "--jobs"]));
  if (at < words.length) return shell.runWords(words.slice(at), input);
  return input === undefined ? EMPTY : shell.runText(input, "parallel");
};

const xargs: Program = ({ words, texts, input }, shell) => {
  const at = skip(
    texts,
    new Set(["-n", "-L", "-P", "-s", "-d", "-I", "-E", "-a", "--max-args", "--max-procs", "--delimiter"]),
  );
  const mark = placeholderOf(texts.slice(0, at));
  const command = at < words.length ? words.slice(at) : [known("echo")];
  const given = input === undefined ? [UNKNOWN] : splitInput(input);
  if (mark === undefined) return shell.runWords([...command, ...given], undefined);
  const [first = UNKNOWN] = given;
  return shell.runWords(
    command.map((word) => replaceMark(word, mark, given.length === 1 ? first : unknown(sourcesOf(given)))),
    undefined,
  );
};

function placeholderOf(options: readonly string[]): string | undefined {
  const at = options.findIndex((text) => /^-(?:I|i)/.test(text) || text.startsWith("--replace"));
  if (at === -1) return undefined;
  const option = options[at] ?? "";
  if (option.startsWith("--")) return option.split("=")[1] ?? "{}";
  return option.length > 2 ? option.slice(2) : option === "-I" ? (options[at + 1] ?? "{}") : "{}";
}

function replaceMark(word: Value, mark: string, value: Value): Value {
  if (mark === "" || !word.text.includes(mark)) return word;
  const text = replaceBounded(word.text, mark, value.text);
  const sources = sourcesOf([word, value]);
  return word.isKnown && value.isKnown ? known(text, sources) : unknown(sources, text);
}

function splitInput(input: Value): readonly Value[] {
  if (!input.isKnown) return [unknown(input.sources)];
  return input.text
    .trim()
    .split(/\s+/, 100)
    .map((text) => known(text, input.sources));
}

/** `find … -exec command {} \;`, with what is found as an unknown path below where the search begins. */
const find: Program = ({ words, texts }, shell) => {
  const root = texts[0]?.startsWith("-") === false ? (texts[0] ?? ".") : ".";
  const patterns = texts
    .filter((_text, index) => /^-i?(?:name|path|wholename)$/.test(texts[index - 1] ?? ""))
    .map((text) => text.replace(/^\*\//, ""));
  const name = patterns[0] ?? "*";
  const read: Value = shell.readFile(known(name === "*" ? root : `${root.replace(/\/$/, "")}/${name}`));
  const keys = patterns.find((pattern) => KEY_NAME.test(pattern));
  const found: Value =
    keys === undefined
      ? read
      : unknown(mergeSources(read.sources, [{ type: "secret", secret: "ssh", name: `${root}/${keys}` }]));
  const path: Value = unknown(found.sources, `${root.replace(/\/$/, "")}/${name}`);
  // What is empty or old is cleaned up every day.
  const isChosen = texts.some((text) => /^-(?:empty|[acm]time|[acm]min|size|i?regex|newer)$/.test(text));
  if (texts.includes("-delete") && !isChosen) shell.runWords([known("rm"), known("-rf"), path], undefined);
  const printed: Value[] = [];
  for (let at = 0; at < texts.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(texts[at] ?? "")) continue;
    const from = at + 1;
    while (at < texts.length && texts[at] !== ";" && texts[at] !== "+") at++;
    const inner = words.slice(from, at).map((word) => replaceMark(word, "{}", path));
    printed.push(shell.runWords(inner, undefined));
  }
  return unknown(sourcesOf([found, ...printed]), path.text);
};

/** Patterns that find private keys wherever they are; other names are told by their path. */
const KEY_NAME = /^\*?id_(?:\*|rsa|dsa|ecdsa|ed25519)/;

const ssh: Program = (call: Call, shell) => {
  const { words, texts, input } = call;
  const at = skip(
    texts,
    new Set(["-i", "-p", "-o", "-l", "-L", "-R", "-D", "-F", "-J", "-b", "-c", "-E", "-W"]),
  );
  const host = (texts[at] ?? "*").replace(/^.*@/, "");
  const sources = sourcesOf(input === undefined ? words.slice(at + 1) : [input, ...words.slice(at + 1)]);
  if (texts.some((text) => /^-\w{0,6}R/.test(text)))
    shell.act({ type: "listen", address: `tunnel to ${host}` });
  // The login of this machine, opened at another.
  if (
    texts.some(
      (text, index) =>
        /^-\w*R/.test(texts[index - 1] ?? "") && /:(?:localhost|127\.0\.0\.1|\*)?:22$/.test(text),
    )
  )
    shell.act({ type: "privilege", how: "login-tunnel", detail: `ssh -R to ${host}` });
  const telling = sources.filter(({ type }) => type !== "input" && type !== "network" && type !== "decoded");
  shell.flow(telling, { type: "network", how: "copy", host });
  runElsewhere(words.slice(at + 1), "ssh", shell);
  return unknown([{ type: "network", url: `ssh://${host}`, host }]);
};

/** `expect -c 'spawn …; send …'`: what it starts, and what it types there. */
const expect: Program = ({ words, texts }, shell) => {
  const at = texts.indexOf("-c");
  const code = at === -1 ? undefined : words[at + 1];
  if (code === undefined) return EMPTY;
  for (const match of code.text.matchAll(/(?:^|[;\n])\s{0,20}(?:spawn|exec)\s{1,10}([^;\n]{1,2000})/g))
    shell.runText({ ...code, text: match[1] ?? "" }, "expect");
  for (const match of code.text.matchAll(/(?:^|[;\n])\s{0,20}send\s{1,10}"([^"\n]{1,2000})"/g))
    runElsewhere([{ ...code, text: (match[1] ?? "").replace(/\\[rn]$/, "") }], "expect", shell);
  return EMPTY;
};

/** Programs that start others. */
export const STARTERS: readonly (readonly [string, Program])[] = [
  ...WRAPPERS.map(([name, wrapper]) => [name, wrapped(wrapper)] as const),
  ["sudo", sudo],
  ["env", env],
  [
    "printenv",
    ({ texts }, shell) =>
      texts[0] === undefined ? WHOLE_ENVIRONMENT : (shell.variable(texts[0]) ?? outsideValue(texts[0])),
  ],
  ["su", su],
  ["tmux", tmux],
  ["script", script],
  ["parallel", parallel],
  ["xargs", xargs],
  ["find", find],
  ["ssh", ssh],
  ["expect", expect],
];
