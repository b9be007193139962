import { type EffectSink, known, type SecretKind, type Shell, type Spot, type Value } from "@skillet/shell";
import type { Act } from "../../fact/act.ts";
import type { DataSource } from "../../fact/data-source.ts";
import { type Fact, type FactPlace, MAX_SNIPPET_CHARACTERS } from "../../fact/fact.ts";
import type { Sink } from "../../fact/sink.ts";
import type { Language } from "../../file/file-kind.ts";
import { classifyHost } from "../../host/classify-host.ts";
import {
  agentPath,
  classifyPath,
  classifyVariable,
  privateKind,
  settingsLanguage,
  startupPath,
} from "../../secret/classify-path.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";

/** A script can say the same thing a million times; no one reads further. */
const MAX_FACTS = 20_000;
const MAX_TEXTS = 500;
/** Each of them is read again, by another analyser. */
const MAX_TEXTS_CHARACTERS = 8 * 1024 * 1024;

/** Collects the facts and the inner texts of one text, each once. */
export class ShellFacts implements EffectSink {
  readonly #source: SourceText;
  readonly #facts: Fact[] = [];
  readonly #texts: SourceText[] = [];
  /** By place and kind the first of its kind there, or, where there are more, all of them written out. */
  readonly #seen = new Map<string, First | Set<string>>();
  #textsCharacters = 0;
  #unread: string | undefined;

  constructor(source: SourceText) {
    this.#source = source;
  }

  effect(act: Act, spot: Spot): void {
    if (this.#facts.length >= MAX_FACTS || !isTelling(act)) return;
    if (this.#isNew(spot.line, act.type, act)) this.#facts.push({ ...this.#place(spot), kind: "act", act });
  }

  flow(sources: readonly DataSource[], sink: Sink, steps: readonly string[], spot: Spot): void {
    if (this.#facts.length >= MAX_FACTS) return;
    if (this.#isNew(spot.line, "flow", [sources.map(briefly), sink]))
      this.#facts.push({ ...this.#place(spot), kind: "flow", sources, sink, steps });
  }

  /** A text in another language inside this one: `python -c "…"`; a here-document keeps its lines. */
  code(language: Language, text: string, spot: Spot, firstLine?: number): void {
    if (text.trim() === "" && firstLine === undefined) return;
    const isFull =
      this.#texts.length >= MAX_TEXTS || this.#textsCharacters + text.length > MAX_TEXTS_CHARACTERS;
    if (isFull) this.unread("it holds more scripts in scripts than can be read");
    if (isFull || (firstLine === undefined && !this.#isNew(spot.line, "text", [language, text]))) return;
    const keepsLines = firstLine !== undefined;
    const { chain } = spot;
    this.#texts.push({
      ...this.#source,
      text,
      language,
      firstLine: firstLine ?? spot.line,
      keepsLines,
      chain,
    });
    this.#textsCharacters += text.length;
  }

  write(
    path: string,
    written: Value,
    { append }: { readonly append: boolean },
    shell: Shell,
    spot: Spot,
  ): void {
    noteWrite(path, written, append, shell);
    // What is written to an agent's settings is read as those.
    const language = agentPath(path) === undefined ? undefined : settingsLanguage(path);
    if (language !== undefined && written.text.length > 2) this.code(language, written.text, spot);
  }

  secretAt(path: string): SecretKind | undefined {
    return privateKind(path);
  }

  secretIn(variable: string): SecretKind | undefined {
    return classifyVariable(variable);
  }

  unread(reason: string): void {
    this.#unread ??= reason;
  }

  get analysis(): Analysis {
    const { length } = this.#facts;
    const facts = this.#facts.sort((left, right) => left.line - right.line);
    const unread = length >= MAX_FACTS ? `it does more than ${MAX_FACTS} things` : this.#unread;
    return { facts, texts: this.#texts, ...(unread === undefined ? {} : { unread }) };
  }

  #isNew(line: number, kind: string, content: unknown): boolean {
    const key = `${line} ${kind}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { content });
      return true;
    }
    // Most are the only ones of their kind in a line, and need not be written out.
    if (!(seen instanceof Set)) {
      seen = new Set([JSON.stringify(seen.content)]);
      this.#seen.set(key, seen);
    }
    const { size } = seen;
    return seen.add(JSON.stringify(content)).size > size;
  }

  #place({ line, snippet, chain }: Spot): FactPlace {
    const { file, medium, stance, section, isFixture } = this.#source;
    return {
      file,
      line,
      snippet: snippet.slice(0, MAX_SNIPPET_CHARACTERS),
      chain,
      medium,
      stance,
      section,
      isFixture,
    };
  }
}

interface First {
  readonly content: unknown;
}

// A decoded text may be long, and tells nothing new.
function briefly(source: DataSource): unknown {
  return source.type === "decoded" ? source.encoding : source;
}

// Reading a file of the skill's own is not news, and a loop that asks this machine is not a beacon.
function isTelling(act: Act): boolean {
  if (act.type === "read") return /^(?:[~/]|\.\.)/.test(act.path) || classifyPath(act.path) !== undefined;
  return !(act.type === "abuse" && act.what === "beacon-loop" && classifyHost(act.detail) === "loopback");
}

function noteWrite(path: string, written: Value, append: boolean, shell: Shell): void {
  const text = written.text === "" ? undefined : written.text.slice(0, MAX_STARTED_CHARACTERS);
  const where = startupPath(path);
  if (where !== undefined) shell.effect({ type: "persist", where, path, text });
  const what = agentPath(path);
  if (what !== undefined) shell.effect({ type: "agent-config", what, path, text });
  if (/^\/dev\/(?:r?disk|sd|hd|nvme|vd|mmcblk)/.test(path))
    shell.effect({ type: "destroy", what: "disk", detail: path });
  if (/^\/etc\/sudoers/.test(path))
    shell.effect({
      type: "privilege",
      how: ROOT_FOR_ALL.test(text?.slice(0, MAX_RECORDED_CHARACTERS) ?? "") ? "root-for-all" : "sudoers",
      detail: text?.slice(0, 200).trim() ?? path,
    });
  if (/^\/etc\/passwd$/.test(path) && NUMBER_OF_ROOT.test(text?.slice(0, MAX_RECORDED_CHARACTERS) ?? ""))
    shell.effect({ type: "privilege", how: "root-for-all", detail: path });
  if (/(?:^|\/)\.ssh\/config(?:\.d\/|$)|^\/etc\/ssh\/ssh_config/.test(path)) runProxies(text ?? "", shell);
  shell.effect({ type: "write", path, append, text: text?.slice(0, MAX_RECORDED_CHARACTERS) });
  if (where !== undefined || what !== undefined) shell.flow(written.sources, { type: "write", path });
}

// A command that ssh starts before every connection; `nc %h %p` and the like are what it is for.
function runProxies(text: string, shell: Shell): void {
  for (const match of text.matchAll(
    /^[ \t]{0,40}(?:ProxyCommand|LocalCommand)[ \t=]{1,10}(\S[^\n]{0,2000})$/gim,
  )) {
    const command = match[1] ?? "";
    if (/\b(?:curl|wget|base64|eval)\b|\/dev\/tcp\//.test(command)) shell.runText(known(command), "ssh");
  }
}

// A list of exact commands after the colon is how it is meant to be used.
const ROOT_FOR_ALL = /NOPASSWD\s{0,5}:\s{0,5}ALL\b/i;

// An account with the number of root is root under another name.
const NUMBER_OF_ROOT = /^[^:\n]{1,64}:[^:\n]{0,200}:0:/m;

const MAX_RECORDED_CHARACTERS = 4_096;
/** A file that is started later is judged whole; padding before a payload is cheap. */
const MAX_STARTED_CHARACTERS = 64 * 1024;
