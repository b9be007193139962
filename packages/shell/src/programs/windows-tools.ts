import type { Call, Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import { concatenate, EMPTY, known, sourcesOf, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { readOptions } from "../table/split-options.ts";
import { decodeValue } from "./decode-text.ts";
import { wideTarget } from "./destroyers.ts";
import { deliver, fromNetwork, isAddress, lastPart, request } from "./fetchers.ts";

/** `iwr`, `irm`: named parameters in any case, cut short as far as they stay clear. */
const webRequest: Program = ({ words, texts }, shell) => {
  const named = (pattern: RegExp): Value | undefined =>
    words[texts.findIndex((text) => pattern.test(text)) + 1];
  const has = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  const url =
    words.find(({ text }) => /^(?:h(?:tt|xx)ps?|ftp):\/\//i.test(text)) ??
    (has(/^-u(?:ri)?$/i) ? named(/^-u(?:ri)?$/i) : words.find(({ text }) => isAddress(text)));
  if (url === undefined) return UNKNOWN;
  const body = has(/^-b(?:ody)?$/i) ? named(/^-b(?:ody)?$/i) : undefined;
  const inFile = has(/^-inf(?:ile)?$/i) ? named(/^-inf(?:ile)?$/i) : undefined;
  const sends =
    body !== undefined ||
    inFile !== undefined ||
    /^(?:post|put)$/i.test(has(/^-m(?:ethod)?$/i) ? (named(/^-m(?:ethod)?$/i)?.text ?? "") : "");
  const telling = [url, ...words.filter((word) => word.sources.length > 0)];
  if (inFile !== undefined) telling.push(shell.readFile(inFile));
  request(url, { sends, telling }, shell);
  const out = has(/^-o(?:utf(?:ile)?)?$/i) ? named(/^-o(?:utf(?:ile)?)?$/i) : undefined;
  return deliver(url, fromNetwork(url), out, shell);
};

const bitsTransfer: Program = ({ words }, shell) => {
  const url = words.find(({ text }) => /^https?:\/\//i.test(text));
  const to = words.findLast(({ text }) => /[\\/.]/.test(text) && text !== url?.text);
  return url === undefined ? EMPTY : deliver(url, fromNetwork(url), to ?? known(lastPart(url.text)), shell);
};

/** `iex`: its arguments, or what is piped to it. */
const invokeExpression: Program = ({ words, texts, input }, shell) => {
  const given = words.filter((_word, index) => !/^-c(?:ommand)?$/i.test(texts[index] ?? ""));
  const code = given.length > 0 ? concatenate(given, " ") : (input ?? UNKNOWN);
  shell.runCode("powershell", code, "iex");
  return unknown(code.sources);
};

/** Source text that is compiled and loaded; what stands in the script itself is for its reader. */
const addType: Program = ({ words }, shell) => {
  const foreign = sourcesOf(words).filter(({ type }) => type === "network" || type === "decoded");
  shell.flow(foreign, { type: "execute", how: "eval", by: "Add-Type" });
  return EMPTY;
};

const certutil: Program = ({ words, texts }, shell) => {
  const operands = words.filter((_word, index) => !/^(?:-\w|\/\w+$)/.test(texts[index] ?? ""));
  const joined = texts.join(" ").toLowerCase();
  const url = operands.find(({ text }) => /^https?:\/\//i.test(text));
  if (url !== undefined) {
    const to = operands[operands.indexOf(url) + 1] ?? known(lastPart(url.text));
    return deliver(url, fromNetwork(url), to, shell);
  }
  const [from, to] = operands;
  if (/[-/]decode(?:hex)?\b/.test(joined) && from !== undefined && to !== undefined)
    shell.writeFile(to, decodeValue(shell.readFile(from), joined.includes("decodehex") ? "hex" : "base64"), {
      append: false,
    });
  return EMPTY;
};

/** Programs of Windows that run whatever address they are given. */
const runsAddress: Program = ({ program, words, texts }, shell) => {
  const joined = texts.join(" ");
  const url = /https?:\/\/[^\s"',)]{1,500}/i.exec(joined)?.[0];
  if (url !== undefined) {
    const fetched = fromNetwork(known(url));
    deliver(known(url), fetched, undefined, shell);
    shell.flow(fetched.sources, { type: "execute", how: "interpreter", by: program });
  } else if (/^(?:vbscript|javascript):/i.test(texts[0] ?? ""))
    shell.runCode("javascript", concatenate(words, " "), program);
  else for (const word of words) shell.runFile(word, program);
  return EMPTY;
};

const registry: Program = ({ words, texts }, shell) => {
  const joined = texts.join(" ");
  if (/^(?:query|export|delete)$/i.test(texts[0] ?? "")) return UNKNOWN;
  if (/\\CurrentVersion\\(?:Run|RunOnce|Policies\\Explorer\\Run)\b|\\Winlogon\b/i.test(joined))
    shell.effect({ type: "persist", where: "registry-run", path: joined.slice(0, 200), text: textOf(words) });
  if (/DisableAntiSpyware|DisableRealtimeMonitoring|EnableLUA/i.test(joined))
    shell.effect({ type: "disable-protection", what: "antivirus", detail: joined.slice(0, 200) });
  return UNKNOWN;
};

function textOf(words: readonly Value[]): string {
  return words
    .map(({ text }) => text)
    .join(" ")
    .slice(0, 4096);
}

const schedule: Program = ({ program, words, texts }, shell) => {
  if (program === "schtasks" && !texts.some((text) => /^\/create$/i.test(text))) return UNKNOWN;
  if (program === "sc" && !/^create$/i.test(texts[0] ?? "")) return stopService(texts, shell);
  shell.effect({
    type: "persist",
    where: program === "sc" || program === "new-service" ? "service" : "cron",
    path: program,
    text: textOf(words),
  });
  if (program === "sc" && /\btype=\s{0,3}(?:kernel|filesys)\b/i.test(texts.join(" ")))
    shell.effect({ type: "privilege", how: "driver", detail: `sc ${texts.join(" ")}`.slice(0, 200) });
  const action = texts.findIndex((text) => /^(?:\/tr|-execute|binpath=)$/i.test(text));
  if (action !== -1) shell.runCode("batch", words[action + 1] ?? UNKNOWN, program);
  return EMPTY;
};

function stopService(texts: readonly string[], shell: Shell): Value {
  if (/^(?:stop|delete|config)$/i.test(texts[0] ?? "") && /windefend|mpssvc|sense\b/i.test(texts[1] ?? ""))
    shell.effect({
      type: "disable-protection",
      what: "antivirus",
      detail: `sc ${texts.join(" ")}`.slice(0, 200),
    });
  return EMPTY;
}

/** `del /s /q`, `rd /s`, `Remove-Item -Recurse`. */
const deletes: Program = ({ program, words, texts }, shell) => {
  const recursive = texts.some((text) => /^(?:\/s|-r|-rec\w*)$/i.test(text));
  for (const { text } of readOptions(words.filter((_word, index) => !/^\/[a-z]$/i.test(texts[index] ?? "")))
    .operands) {
    const what = recursive ? wideTarget(text) : undefined;
    if (what !== undefined) shell.effect({ type: "destroy", what, detail: `${program} ${text}` });
    shell.effect({ type: "delete", path: text, recursive });
  }
  return EMPTY;
};

const format: Program = ({ program, texts }, shell) => {
  if (program !== "format" || /^[a-z]:/i.test(texts[0] ?? ""))
    shell.effect({ type: "destroy", what: "disk", detail: `${program} ${texts.join(" ")}`.slice(0, 200) });
  return EMPTY;
};

const writeContent: Program = (call: Call, shell) => {
  const { program, words, texts, input } = call;
  const path =
    words.find((_word, index) => /^-(?:path|filepath|literalpath)$/i.test(texts[index - 1] ?? "")) ??
    words.find(({ text }) => !text.startsWith("-"));
  const value =
    words.find((_word, index) => /^-value$/i.test(texts[index - 1] ?? "")) ??
    input ??
    unknown(sourcesOf(words));
  if (path !== undefined)
    shell.writeFile(path, value, { append: program === "add-content" || program === "ac" });
  return EMPTY;
};

export const WINDOWS_TOOLS: readonly (readonly [string, Program])[] = [
  ...named("iwr irm invoke-webrequest invoke-restmethod", webRequest),
  ["start-bitstransfer", bitsTransfer],
  ["bitsadmin", bitsTransfer],
  ["iex", invokeExpression],
  ["invoke-expression", invokeExpression],
  ["certutil", certutil],
  ["add-type", addType],
  ...named("mshta regsvr32 wscript cscript odbcconf installutil cmstp", runsAddress),
  ["msiexec", runsAddress],
  ["rundll32", runsAddress],
  ...named("reg new-itemproperty set-itemproperty", registry),
  ...named("schtasks sc new-service register-scheduledtask new-scheduledtaskaction", schedule),
  ...named("del erase rd rmdir remove-item ri", deletes),
  ...named("format format-volume clear-disk initialize-disk", format),
  ...named("set-content add-content out-file sc-content ac", writeContent),
];
