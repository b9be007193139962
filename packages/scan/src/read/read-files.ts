import { analysersFor } from "../analyse/analyser-for.ts";
import type { Analyser, Analysis, Siblings } from "../analyse/fact-writer.ts";
import { describesDefence } from "../analyse/markdown/negation.ts";
import { findEncoded } from "../decode/find-encoded.ts";
import { type Fact, type FlowFact, wholeFile } from "../fact/fact.ts";
import {
  type FileCoverage,
  type FileKind,
  isLanguage,
  type Language,
  type SkillFile,
} from "../file/file-kind.ts";
import { decodeText, identifyFile } from "../file/identify-file.ts";
import type { ScanLimits } from "../scan-limits.ts";
import { ScanBudget } from "../text/scan-budget.ts";
import type { Medium, SourceText } from "../text/source-text.ts";
import { unpackFile } from "../unpack/unpack-file.ts";
import { findAssembledAddresses } from "./assembled-addresses.ts";
import { createFixtureTest, type IsFixture } from "./fixture-files.ts";
import { readViews } from "./read-views.ts";
import { filesRunAs } from "./run-as.ts";

export interface Reading {
  readonly facts: readonly Fact[];
  readonly coverage: readonly FileCoverage[];
}

interface ReadingOptions {
  readonly limits: ScanLimits;
  readonly analysers: readonly Analyser[];
  readonly signal?: AbortSignal | undefined;
  readonly bundle?: BundleContext | undefined;
}

/** How the other skills of a plugin use this one's files. */
export interface BundleContext {
  readonly isFixture: IsFixture;
  readonly isUsedByOthers: boolean;
}

/** Reads every file through every analyser of its kind, and its contents, until nothing is left or a bound is reached. */
export async function readFiles(
  files: readonly SkillFile[],
  { limits, analysers, signal, bundle }: ReadingOptions,
): Promise<Reading> {
  const sorted = files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const context = contextOf(sorted, bundle);
  const reader = new FileReader({ limits, analysers, signal, skill: context });
  for (const file of sorted) await reader.read(file, 0);
  for (const { file, language } of filesRunAs(sorted)) reader.readAs(file, language);
  for (const fact of findAssembledAddresses(reader.facts, files, context.isFixture)) reader.facts.push(fact);
  return { facts: reader.facts, coverage: reader.coverage };
}

interface Found {
  readonly texts: readonly SourceText[];
  readonly unread: readonly string[];
}

interface SkillContext {
  readonly isFixture: IsFixture;
  readonly siblings: Siblings;
  readonly isInDefensiveSkill: boolean;
}

function contextOf(files: readonly SkillFile[], bundle: BundleContext | undefined): SkillContext {
  const main = files.find(({ path }) => path === "SKILL.md");
  const isInDefensiveSkill =
    main !== undefined &&
    !bundle?.isUsedByOthers &&
    describesDefence(decodeText(main.bytes.subarray(0, HEAD_BYTES)).text);
  const isFixture = bundle?.isFixture ?? createFixtureTest(files);
  const siblings = createSiblings(files, isFixture);
  return { isFixture, siblings, isInDefensiveSkill };
}

const HEAD_BYTES = 16 * 1024;

class FileReader implements Reading {
  readonly facts: Fact[] = [];
  readonly #coverage = new Map<string, FileCoverage>();
  readonly #options: ReadingOptions & { readonly skill: SkillContext };
  readonly #budget: ScanBudget;
  #files = 0;
  #bytes = 0;

  constructor(options: ReadingOptions & { readonly skill: SkillContext }) {
    this.#options = options;
    this.#budget = new ScanBudget(options.limits);
  }

  get coverage(): readonly FileCoverage[] {
    return Array.from(this.#coverage.values());
  }

  async read(file: SkillFile, depth: number): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const kind = identifyFile(file);
    const refusal = this.#refuse(file);
    if (refusal !== undefined) return this.#cover(file, kind, "unread", refusal);
    const inside = unpackFile(file, kind, this.#budget);
    const isFixture = this.#options.skill.isFixture(file.path);
    for (const fact of inside.facts) this.facts.push(isFixture ? { ...fact, isFixture } : fact);
    const reasons = inside.unread === undefined ? [] : [inside.unread];
    if (isLanguage(kind)) reasons.push(...this.#readText(file, kind));
    this.#cover(file, kind, reasons.length === 0 ? "read" : "partly", reasons.join("; "));
    if (inside.files.length > 0 && depth >= this.#options.limits.maxDepth)
      return this.#cover(file, kind, "partly", `archives nest deeper than ${this.#options.limits.maxDepth}`);
    for (const member of inside.files) await this.read(member, depth + 1);
  }

  readAs(file: SkillFile, language: Language): void {
    this.#options.signal?.throwIfAborted();
    const known = this.#coverage.get(file.path);
    if (known === undefined || known.state === "unread") return;
    const reasons = this.#readText(file, language);
    if (reasons.length > 0) this.#cover(file, known.kind, "partly", reasons.join("; "));
  }

  #refuse({ bytes, unread }: SkillFile): string | undefined {
    const { maxFileBytes, maxFiles, maxTotalBytes } = this.#options.limits;
    this.#files++;
    this.#bytes += bytes.length;
    if (unread !== undefined) return unread;
    if (bytes.length > maxFileBytes) return `it is larger than ${maxFileBytes} bytes`;
    if (this.#files > maxFiles) return `there are more than ${maxFiles} files`;
    if (this.#bytes > maxTotalBytes) return `all files together are larger than ${maxTotalBytes} bytes`;
    return undefined;
  }

  #readText(file: SkillFile, language: Language): string[] {
    const { isFixture, isInDefensiveSkill } = this.#options.skill;
    const { source: whole, fault } = wholeText(file, language, isFixture(file.path));
    const reasons = new Set(fault === undefined ? [] : [fault]);
    const queue: SourceText[] = [{ ...whole, isInDefensiveSkill, isRepetition: false }];
    const seen: SeenTexts = new Map();
    for (let index = 0; index < queue.length; index++) {
      const source = queue[index];
      if (source === undefined || isRepeated(source, seen)) continue;
      if (index > this.#options.limits.maxDerivedTexts) {
        reasons.add(`more than ${this.#options.limits.maxDerivedTexts} texts are inside it`);
        break;
      }
      const { texts, unread } = source.isRepetition ? this.#analyseAgain(source) : this.#analyse(source);
      for (const text of texts) queue.push(text);
      for (const reason of unread) reasons.add(reason);
    }
    return [...reasons];
  }

  #analyse(source: SourceText): Found {
    const { views, facts } = readViews(source);
    const inner = this.#runAnalysers(source, this.#options.analysers);
    const encoded = findEncoded(blankInnerTexts(source, inner.texts), this.#budget);
    for (const fact of [...facts, ...inner.facts, ...encoded.facts]) this.facts.push(fact);
    const unread = encoded.unread === undefined ? inner.unread : [...inner.unread, encoded.unread];
    return { texts: [...views, ...inner.texts, ...encoded.texts], unread };
  }

  /** Adds only flows between texts already read singly, if they leave the machine or run. */
  #analyseAgain(source: SourceText): Found {
    const known = new Set<string>();
    for (const fact of this.facts)
      if (fact.kind === "flow" && fact.file === source.file) known.add(identityOf(fact));
    const { facts, ...found } = this.#runAnalysers(source, []);
    for (const fact of facts)
      if (fact.kind === "flow" && fact.sink.type !== "write" && !known.has(identityOf(fact)))
        this.facts.push(fact);
    return found;
  }

  #runAnalysers(
    source: SourceText,
    others: readonly Analyser[],
  ): Found & { readonly facts: readonly Fact[] } {
    const facts: Fact[] = [];
    const texts: SourceText[] = [];
    const unread: string[] = [];
    for (const analyse of [...analysersFor(source.language), ...others]) {
      const analysis = analyseBounded(analyse, source, this.#options.skill.siblings);
      for (const fact of analysis.facts) facts.push(fact);
      for (const text of analysis.texts) texts.push(text);
      if (analysis.unread !== undefined) unread.push(analysis.unread);
    }
    return { facts, texts, unread };
  }

  #cover(file: SkillFile, kind: FileKind, state: FileCoverage["state"], reason: string): void {
    const { path, bytes } = file;
    // Earlier reasons for the file are kept.
    const reasons = new Set([this.#coverage.get(path)?.reason ?? "", reason]);
    reasons.delete("");
    const all = reasons.size > 0 && { reason: Array.from(reasons).join("; ") };
    this.#coverage.set(path, { file: path, kind, size: bytes.length, state, ...all });
    const place = wholeFile(path, "", this.#options.skill.isFixture(path));
    if (state !== "read") this.facts.push({ ...place, kind: "unread", reason });
  }
}

// The analyser's result, or the reason that the text is too much for it: no input may end the scan of other
// files. A RangeError means that a stack, string or array exceeds the engine's bounds; any other error is our
// bug.
function analyseBounded(analyse: Analyser, source: SourceText, siblings: Siblings): Analysis {
  try {
    return analyse(source, siblings);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { facts: [], texts: [], unread: `its ${source.language} is more than can be analysed` };
  }
}

// The same text, reached in another way, adds nothing.
function isRepeated({ language, text, stance, firstLine, chain }: SourceText, seen: SeenTexts): boolean {
  // Long texts are first compared by length and ends, and none is copied into a key.
  const ends = text.length <= 64 ? text : text.slice(0, 24) + text.slice(-24);
  const key = `${language} ${stance} ${chain.length === 0 ? firstLine : ""} ${text.length} ${ends}`;
  const alike = seen.get(key);
  if (alike === undefined) seen.set(key, [text]);
  else if (alike.includes(text)) return true;
  // A thousand texts that differ only in the middle would need a million comparisons; re-reading a few costs less.
  else if (alike.length < MAX_ALIKE) alike.push(text);
  return false;
}

type SeenTexts = Map<string, string[]>;
const MAX_ALIKE = 16;

// By its words and content, not by its heading or steps.
function identityOf({ line, snippet, sources, sink }: FlowFact): string {
  return JSON.stringify([line, snippet, sources, sink]);
}

/** A longer module is only read by itself. */
const MAX_SIBLING_BYTES = 256 * 1024;

export function createSiblings(files: readonly SkillFile[], isFixture: IsFixture): Siblings {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const opened = new Map<string, SourceText | undefined>();
  let byName: ReadonlyMap<string, string | undefined> | undefined;
  return {
    source: (path) => {
      if (opened.has(path)) return opened.get(path);
      const file = byPath.get(path);
      const source = file === undefined ? undefined : siblingOf(file, isFixture);
      opened.set(path, source);
      return source;
    },
    named: (name) => {
      byName ??= indexNames(files);
      return byName.get(name);
    },
  };
}

function siblingOf(file: SkillFile, isFixture: IsFixture): SourceText | undefined {
  if (file.bytes.length > MAX_SIBLING_BYTES || file.unread !== undefined) return undefined;
  const kind = identifyFile(file);
  return isLanguage(kind) ? wholeText(file, kind, isFixture(file.path)).source : undefined;
}

function wholeText(
  { path, bytes }: SkillFile,
  language: Language,
  isFixture: boolean,
): { readonly source: SourceText; readonly fault?: string } {
  const decoded = decodeText(bytes);
  const place = { file: path, firstLine: 1, keepsLines: true, chain: [], section: [], isFixture };
  const medium = MEDIA[language] ?? "script";
  return { ...decoded, source: { ...place, text: decoded.text, language, medium, stance: "live" } };
}

const MEDIA: Partial<Readonly<Record<Language, Medium>>> = {
  markdown: "prose",
  text: "prose",
  json: "config",
  yaml: "config",
  toml: "config",
  ini: "config",
  html: "markup",
  svg: "markup",
  xml: "markup",
  css: "markup",
  csv: "data",
};

function indexNames(files: readonly SkillFile[]): ReadonlyMap<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  for (const { path } of files) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    paths.set(name, paths.has(name) ? undefined : path);
  }
  return paths;
}

/** A fence decodes its own encoded text, as it knows whether it is a specimen; the document around it does not. */
export function blankInnerTexts(source: SourceText, inner: readonly SourceText[]): SourceText {
  const whole = inner.filter(
    ({ keepsLines, medium, file, chain }) =>
      keepsLines && medium === "fence" && file === source.file && chain.length === source.chain.length,
  );
  if (whole.length === 0 || !source.keepsLines) return source;
  const lines = source.text.split("\n");
  for (const { firstLine, text } of whole) {
    const start = firstLine - source.firstLine;
    const end = start + text.split("\n").length;
    for (let line = Math.max(start, 0); line < end && line < lines.length; line++) lines[line] = "";
  }
  return { ...source, text: lines.join("\n") };
}
