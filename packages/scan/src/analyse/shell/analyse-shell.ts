import {
  type EffectSink,
  known,
  runBatch,
  runPosix,
  runPowershell,
  type SecretKind,
  type Shell,
  ShellMachine,
  type Spot,
  unknown,
  type Value,
} from "@skillet/shell";
import { type Act, type DataSource, type FactPlace, placeIn, type Sink } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import { shebangLanguage } from "../../file/guess-language.ts";
import { classifyHost } from "../../host/classify-host.ts";
import {
  agentPath,
  classifyPath,
  classifyVariable,
  privateKind,
  settingsLanguage,
} from "../../secret/classify-path.ts";
import type { SourceText } from "../../text/source-text.ts";
import { type Analysis, FactWriter, writeActs } from "../fact-writer.ts";

export function analyseShell(source: SourceText): Analysis {
  const isScript = source.medium === "script";
  const facts = new ShellFacts(source);
  const text = isScript ? source.text : stripPrompts(source.text);
  const fault = runPosix(text, new ShellMachine(source, facts, { input: inputOf(source) }));
  if (fault !== undefined && isScript && source.chain.length === 0)
    facts.unread(`a shell script does not parse: ${fault}`);
  return facts.analysis;
}

// Git passes every password that it gets to a helper of this name.
function inputOf({ file, medium }: SourceText): Value | undefined {
  return medium === "script" && /(?:^|\/)git-credential-[^/]+$/.test(file)
    ? unknown([{ type: "secret", secret: "git", name: "what git hands to its credential helper" }])
    : undefined;
}

export function analysePowershell(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runPowershell(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

export function analyseBatch(source: SourceText): Analysis {
  const facts = new ShellFacts(source);
  runBatch(source.text, new ShellMachine(source, facts));
  return facts.analysis;
}

/** Blanks the prompts of a copied terminal session and the output between commands; offsets stay. */
export function stripPrompts(text: string): string {
  if (!/^[ \t]{0,8}(?:\$|%|>|❯|PS[^\n>]{0,80}>|[\w.-]{1,40}@[^\n$#]{1,80}[$#])[ \t]/m.test(text)) return text;
  const lines = text.split("\n");
  const isSession = lines.some((line) => PROMPT.test(line));
  if (!isSession) return text;
  let continues = false;
  return lines
    .map((line) => {
      const prompt = PROMPT.exec(line) ?? (continues ? CONTINUATION.exec(line) : null);
      // A continued command, and the body of a quotation, have no prompt of their own.
      if (prompt === null && !continues) return looksLikeOutput(line) ? blank(line) : line;
      const command = prompt === null ? line : blank(prompt[0]) + line.slice(prompt[0].length);
      continues = /(?:\\|\||&&|\|\|)\s*$/.test(command);
      return command;
    })
    .join("\n");
}

const PROMPT = /^[ \t]{0,8}(?:\$|%|❯|PS[^\n>]{0,80}>|[\w.-]{1,40}@[^\n$#]{1,80}[$#])[ \t]+(?=\S)/;
const CONTINUATION = /^[ \t]{0,8}>[ \t]+/;

// In a session, a line without a prompt is output, unless it may be a typed command.
function looksLikeOutput(line: string): boolean {
  return !/\b(?:curl|wget|bash|sh|eval|rm|python3?|node|sudo|chmod|base64|nc)\b/.test(line);
}

function blank(text: string): string {
  return " ".repeat(text.length);
}

export class ShellFacts extends FactWriter implements EffectSink {
  effect(act: Act, spot: Spot): void {
    if (isTelling(act)) this.addAct(act, this.#place(spot));
  }

  flow(sources: readonly DataSource[], sink: Sink, steps: readonly string[], spot: Spot): void {
    this.addFlow(sources, sink, steps, this.#place(spot));
  }

  /** Code in another language inside this one: `python -c "…"`; a here-document keeps its lines. */
  code(language: Language, text: string, { line, chain }: Spot, firstLine?: number): void {
    const keepsLines = firstLine !== undefined;
    if (text.trim() !== "" || keepsLines)
      this.addText({ ...this.source, text, language, firstLine: firstLine ?? line, keepsLines, chain });
  }

  write(
    path: string,
    written: Value,
    { append }: { readonly append: boolean },
    shell: Shell,
    spot: Spot,
  ): void {
    const { text } = written;
    for (const act of writeActs(path, text === "" ? undefined : text, append)) shell.effect(act);
    if (/(?:^|\/)\.ssh\/config(?:\.d\/|$)|^\/etc\/ssh\/ssh_config/.test(path)) runProxies(text, shell);
    const kept = written.sources.filter(({ type }) => type !== "input" && type !== "system");
    shell.flow(kept, { type: "write", path: shell.files.resolve(path) });
    // Text written to an agent's settings is read as settings, and a script as a script.
    const language = agentPath(path) === undefined ? shebangLanguage(text) : settingsLanguage(path);
    if (language !== undefined && text.length > 2) this.code(language, text, spot);
  }

  secretAt(path: string): SecretKind | undefined {
    return privateKind(path);
  }

  secretIn(variable: string): SecretKind | undefined {
    return classifyVariable(variable);
  }

  override get analysis(): Analysis {
    this.facts.sort((left, right) => left.line - right.line);
    return super.analysis;
  }

  #place({ line, snippet, chain }: Spot): FactPlace {
    return { ...placeIn(this.source, line, snippet), chain };
  }
}

// Reading the skill's own file is not notable, and a loop that polls this machine is not a beacon.
function isTelling(act: Act): boolean {
  if (act.type === "read") return /^(?:[~/]|\.\.)/.test(act.path) || classifyPath(act.path) !== undefined;
  return !(act.type === "abuse" && act.what === "beacon-loop" && classifyHost(act.detail) === "loopback");
}

// A command that ssh starts before every connection; `nc %h %p` and the like are its normal use.
function runProxies(text: string, shell: Shell): void {
  for (const match of text.matchAll(
    /^[ \t]{0,40}(?:ProxyCommand|LocalCommand)[ \t=]{1,10}(\S[^\n]{0,2000})$/gim,
  )) {
    const command = match[1] ?? "";
    if (/\b(?:curl|wget|base64|eval)\b|\/dev\/tcp\//.test(command)) shell.runText(known(command), "ssh");
  }
}
