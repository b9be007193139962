import { isJsonObject } from "@skillet/kit/json";
import { replaceSecrets } from "@skillet/scan";
import type { Transcript } from "../transcript/transcript.ts";

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
 * and belong to no address, path or commit, are not recognised.
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
  const rest = mapTexts(given, (text) => text.replace(UNSEEN, "")) as typeof given;
  eachText(rest.events, (text) => redactor.learn(text));
  if (rest.title !== undefined) redactor.learn(rest.title);
  const shown = mapTexts(rest, (text) => redactor.text(text)) as Transcript;
  return { transcript: shown, removed: redactor.removed };
}

function eachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) eachText(item, visit);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Controls, directions and what has no width: they hide a secret's name, or say something to a model that nobody sees. */
const UNSEEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SECRET_WORD =
  "(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization|bearer|session[_-]?(?:id|key))";
/** `DB_PASSWORD=x`, `"token": "x"`, `--api-key x`, `Authorization: Bearer x`, `password is x`; the value is the last group. */
const NAMED_SECRETS: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<=\b|_)${SECRET_WORD}[A-Za-z0-9_-]{0,20}\\{0,3}["']?\s{0,3}(?:=|:|%3[AD])\s{0,3}(?:(?:Bearer|Basic|token)\s+)?\\{0,3}["']?([^\s"'\\&;,<>\[\](){}|$]{3,})`,
    "gi",
  ),
  new RegExp(
    String.raw`--?[a-z-]{0,20}${SECRET_WORD}[a-z-]{0,10}[ =]["']?([^\s"'&;|<>$-][^\s"'&;|<>$]{2,})`,
    "gi",
  ),
  /\b(?:password|passphrase|token|secret|pin|api key) (?:is|was) ["'\x60]?([^\s"'\x60,;]{3,60})/gi,
  /\b(?:Bearer|Basic)\s+([A-Za-z0-9._~+/=-]{8,})/g,
  /\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,60}:([^\s"']{3,})/g,
  /\b(?:mysql|mysqldump|mariadb|sshpass)\b[^\n|;]{0,200}?\s-p["']?([^\s"']{3,})/g,
  /\bsshpass\s+-p\s+["']?([^\s"']{3,})/g,
];
const LONG_WORD =
  /(?<![\w/.-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[A-Za-z0-9+/_=-]{20,400}(?![\w/.-])/g;
// Forty are a commit's, which is a parameter and not a secret.
const LONG_HEX = /\b(?:[0-9a-f]{32,39}|[0-9a-f]{41,128})\b/gi;
const HOME = /(?:\/(?:home|Users)|[A-Za-z]:[\\/]Users)[\\/]([A-Za-z][\w.-]*)(?=[\\/\s"'`:;,)]|$)/g;
const MAIL = /(?<![\w/.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}\b/g;
const AUTHOR = /(?:^|[\s"'(:=])(\p{Lu}[\p{L}.'-]+(?: \p{Lu}[\p{L}.'-]*){0,3})\s*<[\w.+-]{1,64}@/gu;
const REMOTE =
  /\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n|;&]{0,200}?\b([\w.-]{2,64})@([\w-]{2,64}(?:\.[\w-]{2,64})*)/g;
const URL_QUERY = /(\bhttps?:\/\/[^\s?#"'`<>]{1,2000}\?)([^\s#"'`<>]{1,4000})/g;
const ADDRESSES: readonly RegExp[] = [
  MAIL,
  /\b(?!127\.|0\.0\.0\.0|255\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b(?!\.\d)/g,
  /(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})(?![\w:])/gi,
  /(?<![\w.-])(?:[\w-]{1,63}\.){1,5}(?:internal|intranet|corp|lan|local|intra|home\.arpa)\b/g,
  /(?<![\w.+-])\+\d{1,3}[ (-]?\d[\d ()-]{6,16}\d\b/g,
];
/** Of machines and services, not of people; the path goes all the same. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  "user users username you me name admin administrator root ubuntu debian node app runner dev work git test default guest public shared vagrant docker ec2-user jenkins build ci localhost support info contact sales team hello office billing security deploy service home code project main master origin".split(
    " ",
  ),
);
/** Words that follow a secret's name without being one. */
const NOT_SECRET =
  /^(?:true|false|null|none|undefined|required|optional|missing|invalid|expired|wrong|empty|correct|string|number|the|an?|not|in|is|for|from|your|my|test|[\w.]*env[\w.]*|\*+|<.*|\[.*|\.\.\.|\$.*|%.*)$/i;

class Redactor {
  readonly #values = new Set<string>();
  readonly #names = new Set<string>();
  readonly #counts: Record<RemovedKind, number> = { secrets: 0, names: 0, addresses: 0, paths: 0, values: 0 };
  readonly #folders: readonly string[];
  #pattern: RegExp | undefined;

  constructor({ userHome, names = [] }: RedactOptions, workspace: string | undefined) {
    for (const name of names) this.#addName(name);
    for (const path of [userHome, workspace]) if (path !== undefined) this.learn(`${path}/`);
    this.#folders = [workspace, userHome].map((path) => (path === undefined || path.length < 4 ? "" : path));
  }

  get removed(): Removed {
    return { ...this.#counts };
  }

  learn(text: string): void {
    for (const pattern of NAMED_SECRETS)
      for (const match of text.matchAll(pattern)) {
        const value = (match.at(-1) ?? "").slice(0, MAX_VALUE);
        // A short word would go from every sentence.
        if (!NOT_SECRET.test(value) && !/^[a-z]{1,5}$/.test(value) && this.#values.size < MAX_LEARNED)
          this.#values.add(value);
      }
    for (const [, name = ""] of text.matchAll(HOME)) this.#addName(name);
    for (const [, name = ""] of text.matchAll(AUTHOR)) this.#addName(name);
    for (const [, user = "", host = ""] of text.matchAll(REMOTE)) {
      this.#addName(user);
      // A public host says nothing about a person.
      if (!/\.(?:com|org|io|dev|net)$/.test(host)) this.#addName(host);
    }
    for (const [address] of text.matchAll(MAIL))
      if (!isPublic(address)) this.#addName(address.split("@")[0] ?? "");
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
    shown = shown.replace(URL_QUERY, (_, start: string, query: string) => `${start}${this.#query(query)}`);
    shown = shown.replace(
      /(:\/\/)[^\s/@"'`]{1,200}@/g,
      (_, start: string) => `${start}${put("secrets", "[secret]")()}@`,
    );
    for (const value of this.#sorted(this.#values))
      shown = shown.replaceAll(value, put("secrets", "[secret]"));
    for (const pattern of [LONG_WORD, LONG_HEX]) shown = shown.replace(pattern, put("secrets", "[secret]"));
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

/** Addresses of services and of documentation. */
function isPublic(address: string): boolean {
  return /^git@|@(?:example\.(?:com|org|net)|users\.noreply\.github\.com)$|^(?:noreply|no-reply)@/i.test(
    address,
  );
}
