import { type Anomaly, type AnomalyFact, wholeFile } from "../fact/fact.ts";
import type { SkillFile } from "../file/file-kind.ts";

export class Contents {
  readonly file: SkillFile;
  /** Members, as `archive.zip!/member`; each is identified and read like any other file. */
  readonly files: SkillFile[] = [];
  readonly facts: AnomalyFact[] = [];
  readonly #unread = new Set<string>();

  constructor(file: SkillFile) {
    this.file = file;
  }

  add(name: string, content: Uint8Array | string, mode: SkillFile["mode"] = "644"): void {
    if (content === "") return;
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.files.push({ path: `${this.file.path}!/${name}`, mode, bytes });
  }

  note(what: Anomaly, detail: string): void {
    this.facts.push({
      ...wholeFile(this.file.path, detail.slice(0, 200), false),
      kind: "anomaly",
      what,
      detail,
    });
  }

  leave(reason: string): void {
    this.#unread.add(reason);
  }

  get unread(): string | undefined {
    return this.#unread.size === 0 ? undefined : [...this.#unread].sort().join("; ");
  }
}

export type Left = Pick<Contents, "leave">;

interface StringsOptions {
  readonly minimum: number;
  readonly left?: Left;
}

/**
 * The strings in binary data, one per line: runs of printable ASCII with one or two bytes per character. Some
 * may be missing beyond `MAX_STRINGS_CHARACTERS`.
 */
export function printableStrings(bytes: Uint8Array, { minimum, left }: StringsOptions): string {
  const found: string[] = [];
  let size = 0;
  for (const [run] of latin1(bytes).matchAll(RUNS)) {
    const plain = run.includes("\0") ? run.replaceAll("\0", "") : run;
    if (plain.length < minimum) continue;
    found.push(plain);
    size += plain.length + 1;
    if (size > MAX_STRINGS_CHARACTERS) {
      left?.leave(`of its strings the first ${MAX_STRINGS_CHARACTERS} characters were read`);
      break;
    }
  }
  return found.join("\n");
}

/** The sentences and commands among the strings in binary data, one per line; printable noise is left out. */
export function embeddedWords(bytes: Uint8Array, left: Left): string {
  return printableStrings(bytes, { minimum: MIN_WORDS_CHARACTERS, left })
    .split("\n")
    .map((line) => line.replace(/<[^<>]{0,2000}>/g, " ").trim())
    .filter((line) => WORDS.test(line.slice(0, MAX_SEARCHED_CHARACTERS)))
    .join("\n");
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

// ASCII in one byte each, or in two with a zero after each.
const RUNS = /(?:[\t -~]\0){4,}|[\t -~]{4,}/g;
const MAX_STRINGS_CHARACTERS = 4 * 1024 * 1024;
const MIN_WORDS_CHARACTERS = 12;
const MAX_SEARCHED_CHARACTERS = 2_000;
/** Three words in a row as in a sentence, or a command and its address. */
const WORDS =
  /(?:^|[\s"'(])[A-Za-z][a-z]{1,20}[ ,.:]{1,2}(?:[A-Za-z~/][\w.~/'-]{0,40}[ ,.:]{1,2}){1,3}[a-z~/]|\b(?:curl|wget|bash|sh|python3?|powershell|irm|iwr)\s.{0,200}[/|]/;
