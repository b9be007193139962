import type { Program, QuietProgram } from "../model/call.ts";
import { concatenate, EMPTY, foreignSources, known, sourcesOf, UNKNOWN, unknown } from "../model/value.ts";
import type { Column } from "../table/program-row.ts";
import { decodeValue } from "./decode-text.ts";
import { deliver, fromNetwork, isAddress, lastPart, request } from "./fetchers.ts";

/** `iwr`, `irm`: named parameters in any case, shortened as far as they stay unambiguous. */
const webRequest: Program = (call, shell) => {
  const { words } = call;
  const [body] = call.after(/^-b(?:ody)?$/i);
  const [file] = call.after(/^-inf(?:ile)?$/i);
  const [method] = call.after(/^-m(?:ethod)?$/i);
  const [out] = call.after(/^-o(?:utf(?:ile)?)?$/i);
  const url =
    words.find(({ text }) => /^(?:h(?:tt|xx)ps?|ftp):\/\//i.test(text)) ??
    (call.has(/^-u(?:ri)?$/i) ? call.after(/^-u(?:ri)?$/i)[0] : words.find(({ text }) => isAddress(text)));
  if (url === undefined) return UNKNOWN;
  const sends = body !== undefined || file !== undefined || /^(?:post|put)$/i.test(method?.text ?? "");
  const telling = [url, ...words.filter(({ sources }) => sources.length > 0)];
  if (file !== undefined) telling.push(shell.readFile(file));
  request(url, { sends, telling }, shell);
  return deliver(url, fromNetwork(url), out, shell);
};

const bitsTransfer: Program = ({ words }, shell) => {
  const url = words.find(({ text }) => /^https?:\/\//i.test(text));
  const to = words.findLast(({ text }) => /[\\/.]/.test(text) && text !== url?.text);
  return url === undefined ? EMPTY : deliver(url, fromNetwork(url), to ?? known(lastPart(url.text)), shell);
};

/** `iex`: runs its arguments, or its piped input. */
const invokeExpression: Program = ({ words, input = UNKNOWN }, shell) => {
  const given = words.filter(({ text }) => !/^-c(?:ommand)?$/i.test(text));
  const code = given.length > 0 ? concatenate(given, " ") : input;
  shell.runCode("powershell", code, "iex");
  return unknown(code.sources);
};

/** Source text that is compiled and loaded; the script's own text is judged by its reader. */
const addType: QuietProgram = ({ words }, shell) => {
  const foreign = foreignSources(unknown(sourcesOf(words)));
  shell.flow(foreign, { type: "execute", how: "eval", by: "Add-Type" });
};

const certutil: Program = ({ words, joined }, shell) => {
  const operands = words.filter(({ text }) => !/^(?:-\w|\/\w+$)/.test(text));
  const at = operands.findIndex(({ text }) => /^https?:\/\//i.test(text));
  const url = operands[at];
  if (url !== undefined)
    return deliver(url, fromNetwork(url), operands[at + 1] ?? known(lastPart(url.text)), shell);
  const [from, to] = operands;
  if (/[-/]decode(?:hex)?\b/i.test(joined) && from !== undefined && to !== undefined) {
    const encoding = /decodehex/i.test(joined) ? "hex" : "base64";
    shell.writeFile(to, decodeValue(shell.readFile(from), encoding), { append: false });
  }
  return EMPTY;
};

const runsAddress: QuietProgram = ({ program, words, texts, joined }, shell) => {
  const url = /https?:\/\/[^\s"',)]{1,500}/i.exec(joined)?.[0];
  if (url !== undefined) {
    const fetched = deliver(known(url), fromNetwork(known(url)), undefined, shell);
    shell.flow(fetched.sources, { type: "execute", how: "interpreter", by: program });
  } else if (/^(?:vbscript|javascript):/i.test(texts[0] ?? ""))
    shell.runCode("javascript", concatenate(words, " "), program);
  else for (const word of words) shell.runFile(word, program);
};

const registry: Program = ({ texts, joined }, shell) => {
  if (/^(?:query|export|delete)$/i.test(texts[0] ?? "")) return UNKNOWN;
  const path = joined.slice(0, 200);
  const text = joined.slice(0, 4096);
  if (/\\CurrentVersion\\(?:Run|RunOnce|Policies\\Explorer\\Run)\b|\\Winlogon\b/i.test(joined))
    shell.effect({ type: "persist", where: "registry-run", path, text });
  if (/DisableAntiSpyware|DisableRealtimeMonitoring|EnableLUA/i.test(joined))
    shell.effect({ type: "disable-protection", what: "antivirus", detail: path });
  return UNKNOWN;
};

const schedule: Program = (call, shell) => {
  const { program, texts, joined, detail } = call;
  if (program === "schtasks" && !call.has(/^\/create$/i)) return UNKNOWN;
  if (program === "sc" && !/^create$/i.test(texts[0] ?? "")) {
    if (/^(?:stop|delete|config)$/i.test(texts[0] ?? "") && /windefend|mpssvc|sense\b/i.test(texts[1] ?? ""))
      shell.effect({ type: "disable-protection", what: "antivirus", detail });
    return EMPTY;
  }
  const where = program === "sc" || program === "new-service" ? "service" : "cron";
  shell.effect({ type: "persist", where, path: program, text: joined.slice(0, 4096) });
  if (program === "sc" && /\btype=\s{0,3}(?:kernel|filesys)\b/i.test(joined))
    shell.effect({ type: "privilege", how: "driver", detail });
  const action = texts.findIndex((text) => /^(?:\/tr|-execute|binpath=)$/i.test(text));
  if (action !== -1) shell.runCode("batch", call.words[action + 1] ?? UNKNOWN, program);
  return EMPTY;
};

const writeContent: QuietProgram = (call, shell) => {
  const { words, input } = call;
  const path = call.after(/^-(?:path|filepath|literalpath)$/i)[0] ?? call.operands[0];
  const value = call.after(/^-value$/i)[0] ?? input ?? unknown(sourcesOf(words));
  if (path !== undefined) shell.writeFile(path, value, { append: /^(?:add-content|ac)$/.test(call.program) });
};

export const WINDOWS_TOOLS: Column<Program | QuietProgram> = {
  "iwr irm invoke-webrequest invoke-restmethod": webRequest,
  "start-bitstransfer bitsadmin": bitsTransfer,
  "iex invoke-expression": invokeExpression,
  certutil,
  "add-type": addType,
  "mshta regsvr32 wscript cscript odbcconf installutil cmstp msiexec rundll32": runsAddress,
  "reg new-itemproperty set-itemproperty": registry,
  "schtasks sc new-service register-scheduledtask new-scheduledtaskaction": schedule,
  "set-content add-content out-file sc-content ac": writeContent,
};
