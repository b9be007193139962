import { isJsonObject } from "@skillet/kit/json";
import { STOP_WORDS } from "@skillet/kit/words";
import { replaceSecrets } from "@skillet/scan";
import type { Transcript } from "../transcript/transcript.ts";
import {
  ADDRESSES,
  HOME,
  isPublic,
  namesIn,
  type ReadText,
  replaceNamedSecrets,
  secretsIn,
} from "./private-words.ts";

/** Who and what must not show, besides what is recognised by its form. */
export interface RedactOptions {
  /** The person's home; paths in it, and in any other home, begin with `~`. */
  readonly userHome?: string | undefined;
  /** Names of the person and the machine, as the system and git have them. */
  readonly names?: readonly string[] | undefined;
}

/** How much of each kind was taken out, in all places. */
export type Removed = Readonly<Record<RemovedKind, number>>;
type RemovedKind = "secrets" | "names" | "addresses" | "paths" | "values";

/**
 * Takes secrets, names, addresses, homes and values of queries out of everything in a transcript. What is recognised in one
 * place, such as a password beside `--password`, goes wherever it stands. Names that stand by themselves in a sentence,
 * and that nobody is told to ask, are not recognised.
 *
 * @example
 * const { transcript, removed } = redactTranscript(await readTranscript(file), { userHome: homedir() });
 */
export function redactTranscript(
  transcript: Transcript,
  options: RedactOptions = {},
): { readonly transcript: Transcript; readonly removed: Removed } {
  const redactor = new Redactor(options, transcript.workspace);
  const { workspace: _, ...given } = transcript;
  const rest = mapTexts(given, plainText) as typeof given;
  eachText(rest.events, (text) => redactor.learn(text));
  redactor.learn({ text: rest.title ?? "", isSpeech: true });
  const shown = mapTexts(rest, (text) => redactor.text(text)) as Transcript;
  return { transcript: shown, removed: redactor.removed };
}

const SPEECH: ReadonlySet<string> = new Set(["text", "task", "feedback"]);

/** With the field that each text is in; what stands in a field beside one named after a password is a password. */
function eachText(value: unknown, visit: (text: ReadText) => void, field?: string): void {
  if (typeof value === "string") visit({ text: value, field, isSpeech: SPEECH.has(field ?? "") });
  else if (typeof value === "object" && value !== null) {
    const { selector, label, name, text, value: typed } = value as Readonly<Record<string, unknown>>;
    const isPassword = [selector, label, name].some(
      (one) => typeof one === "string" && PASSWORD_FIELD.test(one),
    );
    for (const [key, item] of Object.entries(value))
      eachText(
        item,
        visit,
        isPassword && (item === text || item === typed) ? "password" : Array.isArray(value) ? field : key,
      );
  }
}

const PASSWORD_FIELD = /^.{0,60}(?:passw|passphrase|secret|token|\bpin\b).{0,30}$/i;

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Without what hides a secret's name or cuts a secret in two: what is unseen, escapes, and lines that go on. */
function plainText(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replaceAll(/\\\r?\n[ \t]*/g, " ")
    .replaceAll(/\\u00([2-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}

/** Controls, directions and what has no width: they also say something to a model that nobody sees. */
const UNSEEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LONG_WORD =
  /(?<![\w/.-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[A-Za-z0-9+/_=-]{20,400}(?![\w/.-])/g;
// Forty are a commit's, which is a parameter and not a secret.
const LONG_CODE =
  /\b(?![0-9a-f]{40}\b)(?=[a-z]*\d+[a-z]+\d)[a-z0-9]{30,400}\b|\b(?=[A-Z]*\d+[A-Z]+\d)[A-Z0-9]{10,400}\b/g;
const LONG_HEX = /\b(?:[0-9a-f]{32,39}|[0-9a-f]{41,128})\b/gi;
const URL_REST = /(\bhttps?:\/\/[^\s?#"'`<>]{1,2000}[?#])([^\s"'`<>]{1,4000})/g;
/** From the first part on that is neither a word nor a number: the address of a webhook is its password. */
const URL_CODE =
  /(\bhttps?:\/\/[^\s/?#"'`<>]{1,200}\/(?:[^\s/?#"'`<>]{0,100}\/){0,10}?)(?=[^\s/?#"'`<>.]{0,99}\d)(?=[^\s/?#"'`<>.]{0,99}[A-Z])[^\s/?#"'`<>.]{6,200}(?![\w.-])[^\s?#"'`<>]{0,2000}/g;
/** Of machines and services, not of people; the path goes all the same. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  "user users username you me name admin administrator root ubuntu debian node app runner dev work git test default guest public shared vagrant docker ec2-user jenkins build ci localhost support info contact sales team hello office billing security deploy service home code project main master origin".split(
    " ",
  ),
);

class Redactor {
  readonly #values = new Set<string>();
  readonly #names = new Set<string>();
  readonly #counts: Record<RemovedKind, number> = { secrets: 0, names: 0, addresses: 0, paths: 0, values: 0 };
  readonly #folders: readonly string[];
  #pattern: RegExp | undefined;

  constructor({ userHome, names = [] }: RedactOptions, workspace: string | undefined) {
    for (const name of names) this.#addName(name);
    for (const path of [userHome, workspace])
      if (path !== undefined) this.learn({ text: `${path}/`, isSpeech: false });
    this.#folders = [workspace, userHome].map((path) => (path === undefined || path.length < 4 ? "" : path));
  }

  get removed(): Removed {
    return { ...this.#counts };
  }

  learn(read: ReadText): void {
    for (const secret of secretsIn(read)) {
      const value = secret.slice(0, MAX_VALUE);
      // A short word would go from every sentence.
      if (/^[a-z]{0,5}$/.test(value) || value.length < 3 || this.#values.size >= MAX_LEARNED) continue;
      for (const form of [
        value,
        encodeURIComponent(Buffer.from(value).toString()),
        Buffer.from(value).toString("base64"),
      ])
        this.#values.add(form);
    }
    for (const name of namesIn(read)) this.#addName(name);
  }

  text(text: string): string {
    const [workspace = "", home = ""] = this.#folders;
    const put = (kind: RemovedKind, shown: string) => (): string => {
      this.#counts[kind] += 1;
      return shown;
    };
    let shown = text;
    if (workspace !== "")
      shown = shown.replaceAll(`${workspace}/`, put("paths", "")).replaceAll(workspace, put("paths", "."));
    if (home !== "") shown = shown.replaceAll(home, put("paths", "~"));
    shown = shown.replace(HOME, put("paths", "~"));
    shown = replaceSecrets(shown, put("secrets", "[secret]"));
    shown = shown.replace(URL_REST, (_, start: string, query: string) => `${start}${this.#query(query)}`);
    shown = shown.replace(URL_CODE, (_, start: string) => `${start}${put("secrets", "[secret]")()}`);
    shown = replaceNamedSecrets(shown, put("secrets", "[secret]"));
    shown = shown.replace(
      /(:\/\/)[^\s/@"'`]{1,200}@[^\s/:?"'`]{0,200}/g,
      (_, start: string) => `${start}${put("secrets", "[secret]")()}@[address]`,
    );
    for (const value of this.#sorted(this.#values))
      shown = shown.replaceAll(value, put("secrets", "[secret]"));
    for (const pattern of [LONG_WORD, LONG_CODE, LONG_HEX])
      shown = shown.replace(pattern, put("secrets", "[secret]"));
    for (const pattern of ADDRESSES)
      shown = shown.replace(pattern, (found) => (isPublic(found) ? found : put("addresses", "[address]")()));
    return shown.replace(this.#namePattern(), put("names", "[name]"));
  }

  #addName(name: string): void {
    for (const part of [name, ...name.split(/[\s.+_]/)])
      if (
        part.length >= 3 &&
        part.length <= MAX_NAME &&
        this.#names.size < MAX_LEARNED &&
        !COMMON_NAMES.has(part.toLowerCase()) &&
        !STOP_WORDS.has(part.toLowerCase()) &&
        !/^\d+$/.test(part)
      )
        this.#names.add(part);
  }

  #query(query: string): string {
    return query.replaceAll(/=([^&]+)/g, () => {
      this.#counts.values += 1;
      return "=[value]";
    });
  }

  /** The longest first, so that no rest of one is left. */
  #sorted(words: ReadonlySet<string>): readonly string[] {
    return [...words].sort((left, right) => right.length - left.length);
  }

  #namePattern(): RegExp {
    const any = this.#sorted(this.#names).map((word) =>
      word.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`),
    );
    this.#pattern ??=
      any.length === 0
        ? /(?!)/g
        : new RegExp(`(?<![\\p{L}\\p{N}])(?:${any.join("|")})(?![\\p{L}\\p{N}])`, "giu");
    return this.#pattern;
  }
}

/** Of each kind; and a pattern of a name that is longer cannot be built. */
const MAX_LEARNED = 500;
const MAX_NAME = 64;
const MAX_VALUE = 4_000;
