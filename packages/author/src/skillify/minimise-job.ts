import { tellingOf } from "@skillet/core/internal";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import type { Transcript } from "../transcript/transcript.ts";
import { findInputs, type SkillInput } from "./find-inputs.ts";
import { minimalCommand } from "./general-command.ts";
import {
  endOfPath,
  isOrdinaryPath,
  isOrdinaryWord,
  isProduct,
  isPublicAddress,
  isPublicHost,
  placeholderOf,
  SECRET_TALK,
} from "./ordinary-words.ts";
import type { Deed, Job } from "./read-job.ts";
import { isTaskWord } from "./subjects.ts";

/** Who and what must not show, besides what is recognised by its form. */
export interface RedactOptions {
  /** The user's home. The user name in its path is removed too. */
  readonly userHome?: string | undefined;
  /** Names of the person and the machine, as the system and git have them. */
  readonly names?: readonly string[] | undefined;
}

/** How much of each kind was taken out, in all places. */
export type Removed = Readonly<Record<RemovedKind, number>>;
type RemovedKind = "secrets" | "names" | "addresses" | "paths" | "values";

/**
 * Keeps of a job only what is known to be harmless: programs, subcommands and options of commands, and ordinary words of
 * sentences. Everything else becomes `<name>` in commands and `[…]` in sentences. A job holds neither what tools returned
 * nor what sub-agents did.
 */
export function minimiseJob(
  job: Job,
  { events, workspace = "" }: Transcript,
  options: RedactOptions,
): { readonly job: Job; readonly removed: Removed; readonly inputs: readonly SkillInput[] } {
  const inputs = findInputs(job);
  const minimiser = new Minimiser({ ...options, inputs, workspace });
  for (const event of events) if (event.agent === undefined) minimiser.learn(JSON.stringify(event));
  for (const deed of job.deeds) if (deed.kind === "command") minimiser.learnProgram(deed.command.key);
  const texts = (list: readonly string[]): readonly string[] => list.map((text) => minimiser.prose(text));
  return {
    job: {
      ...{ goal: minimiser.prose(job.goal), repeats: texts(job.repeats) },
      ...{ deeds: job.deeds.map((deed) => minimiser.deed(deed)), looks: job.looks },
      ...{ corrections: texts(job.corrections), said: texts(job.said) },
    },
    ...{ removed: minimiser.removed, inputs },
  };
}

/** A text with its ordinary words alone, such as the title of a conversation. */
export function redactText(text: string, options: RedactOptions = {}): string {
  const minimiser = new Minimiser(options);
  minimiser.learn(text);
  return minimiser.prose(text);
}

/** Controls, directions and what has no width: they also say something to a model that nobody sees. */
const UNSEEN = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** What somebody pasted: code, front matter, comments, and lines of a quotation or a log. */
const PASTED =
  /^(?:```|~~~)[\s\S]*?(?:^(?:```|~~~)|(?![\s\S]))|^---[ \t]*\n[\s\S]{0,4000}?\n---[ \t]*$|<!--[\s\S]{0,4000}?(?:-->|(?![\s\S]))|^[ \t]*[>{}|+#<$][^\n]*$/gm;
/** Where a script without spaces meets another, and a name before a form of address in one. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const UNSPACED_EDGE = new RegExp(
  `(?<=[${UNSPACED}ー])(?=[A-Za-z\\d])|(?<=[A-Za-z\\d])(?=[${UNSPACED}])`,
  "gu",
);
const UNSPACED_NAME =
  /\p{Script=Han}{1,4}(?=さん|様|氏|先生|くん|ちゃん|先輩|部長|課長|社長)|(?<=株式会社|有限会社)[\p{L}ー]{1,12}|[\p{L}ー]{1,12}(?=株式会社|有限会社|公司)/gu;
/** Whose parts name somebody or somewhere: addresses, logins, homes. */
const TELLS_NAMES =
  /[\w.+-]{1,64}@[\w.-]{2,100}|(?:\/(?:home|Users)|[A-Za-z]:[\\/]{1,4}Users)[\\/]{1,4}([\p{L}\d._-]{2,64}(?: \p{Lu}[\p{L}\d._-]{1,40})?)|(?<![\w/~])~[a-z][\w.-]{2,31}(?=\/)|(?<![\w@/.\x60])@[A-Za-z][\w-]{2,38}/gu;
/** Whose parts name a project, a customer or a machine: where programs and sources lie, repositories, hosts. */
const TELLS_PLACES =
  /(?:\/(?:srv|opt|mnt|media|data|volumes|var\/(?:www|lib|log|backups?))|(?<=~|\/(?:home|Users)\/[\w.-]{1,64})\/(?:work|src|source|projects?|code|dev|repos?|git|sites|clients?|customers?))\/([\w.-]{3,64})|\b(?:github|gitlab|bitbucket)\.(?:com|org)[/:]([\w.-]{1,64}\/[\w.-]{1,64})|:\/\/(?:[^\s@/"]{1,200}@)?(?!(?:github|gitlab|bitbucket)\.)([\w.-]{3,100})|\/\/(?!(?:github|gitlab|bitbucket)\.)([\w-]{2,63}(?:\.[\w-]{2,63}){1,5})\/|\b([\w-]{2,63}(?:\.[\w-]{2,63}){0,4})\.(?:internal|local|lan|corp|intra|intranet|home\.arpa)\b/gi;
const TELLS_SECRETS = new RegExp(
  String.raw`${SECRET_TALK.source}[\w-]{0,20}["'\\]{0,4}(?:\s{0,3}[=:]\s{0,3}|\s{1,3}(?:(?:is|was)\s{1,3})?)["'\\]{0,4}([^\s"'\\,;&|<>]{3,200})`,
  "giu",
);
const MAX_LEARNED = 2_000;
const MAX_SEEN = 20_000;

export class Minimiser {
  readonly #private = new Set<string>();
  /** Words seen in lower case somewhere. */
  readonly #seen = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #inputs: ReadonlyMap<string, string>;
  readonly #given: readonly SkillInput[];
  readonly #counts: Record<RemovedKind, number> = { secrets: 0, names: 0, addresses: 0, paths: 0, values: 0 };

  constructor({
    inputs = [],
    workspace = "",
    userHome = "",
    names = [],
  }: RedactOptions & { readonly inputs?: readonly SkillInput[]; readonly workspace?: string }) {
    this.#given = inputs;
    this.#inputs = new Map(
      inputs.flatMap(({ name, values }) => values.map((value) => [value.toLowerCase(), name] as const)),
    );
    this.#addName(workspace.split(/[\\/]/).at(-1) ?? "");
    for (const name of [workspace, userHome, ...names]) {
      if (name.includes("/")) this.learn(`${name}/`);
      else this.#addName(name);
    }
  }

  get removed(): Removed {
    return { ...this.#counts };
  }

  /** Takes from a text what is private by what stands around it, so that it is so wherever it stands. */
  learn(text: string): void {
    for (const [whole, owner = whole] of text.matchAll(TELLS_NAMES))
      if (!isPublicAddress(whole)) this.#addName(owner.replace(/\.\w{2,5}$/, ""));
    for (const [, value = ""] of text.matchAll(TELLS_SECRETS)) {
      this.#add(value);
      // The mark that ends the sentence stands nowhere else.
      this.#add(value.replace(/[.!?):\]]{1,3}$/, ""));
    }
    for (const [, ...found] of text.matchAll(TELLS_PLACES)) {
      const place = found.find((one) => one !== undefined) ?? "";
      if (!isPublicHost(place)) this.#addName(place.replace(/\.(?:git|com|org|net|io|dev|app|co)$/, ""));
    }
    for (const [word] of text.matchAll(/(?<=\s)\p{Ll}{3,20}(?=[\s,;])/gu))
      if (this.#seen.size < MAX_SEEN) this.#seen.add(word);
  }

  /** A sentence may name what a step shows anyway: a program, its package, its subcommand. */
  learnProgram(key: string): void {
    for (const word of key.toLowerCase().split(/[^a-z\d]+/))
      if (word.length > 2 && this.#programs.size < MAX_LEARNED) this.#programs.add(word);
  }

  deed(deed: Deed): Deed {
    const show = (word: string, minimal: string): string => {
      const lower = minimal.replaceAll(/<[^<>]*>/g, " ").toLowerCase();
      const isHidden = this.#isPrivate(lower) || this.#isPersonal(lower);
      if (isHidden || minimal !== word) this.#count(word, false);
      return isHidden ? placeholderOf(word).replace(/^<file>$/, "<value>") : minimal;
    };
    if (deed.kind === "command")
      return { kind: "command", command: minimalCommand(deed.command, this.#given, show) };
    if (deed.kind === "edit") return { kind: "edit", files: deed.files.map((file) => this.#path(file)) };
    const isPlain =
      /^[A-Za-z]+(?:[_.-]{1,2}[A-Za-z]+)*$/.test(deed.tool) && !this.#isPrivate(deed.tool.toLowerCase());
    return {
      kind: "other",
      tool: isPlain ? deed.tool : "tool",
      fields: deed.fields.filter((name) => /^[a-z]+(?:[_-]?[A-Za-z]+){0,4}$/.test(name)),
    };
  }

  #path(file: string): string {
    const lower = file.toLowerCase();
    if (isOrdinaryPath(file) && !this.#isPrivate(lower) && !this.#isPersonal(lower)) return file;
    this.#count(file, false);
    return placeholderOf(file);
  }

  /** A text of ordinary words; in the place of others `<name>` where it is an input, else `[…]`. */
  prose(text: string): string {
    let wasSecret = false;
    const sentences = plain(text)
      .replaceAll(PASTED, "")
      .replaceAll(UNSPACED_NAME, "[…]")
      .replaceAll(UNSPACED_EDGE, " ")
      .split(/(?<=[.!?:])(?=\s)|(?<=[。！？])|(?=\n)/)
      .map((sentence) => {
        const words = sentence.split(/(\s+)/);
        const isSecret = SECRET_TALK.test(sentence) || (wasSecret && words.length < 10);
        wasSecret = isSecret;
        return this.#sentence(words, isSecret);
      });
    return sentences.join("").trim();
  }

  #sentence(words: readonly string[], isSecret: boolean): string {
    const shown = words.map((word, at) => {
      if (!/\S/.test(word)) return word.includes("\n") ? "\n" : " ";
      // Words and spaces take turns. Two capitals in a row make a name of words that say nothing alone.
      const isName =
        at > 0 && isNamePart(word) && [at - 2, at + 2].some((one) => one > 0 && isNamePart(words[one]));
      return this.#word(word, isSecret, isName);
    });
    const line = shown.join("").replaceAll(/\[…\](?:[\s,;/]*\[…\])+/g, "[…]");
    // What is left of a log or a table says nothing.
    const told = shown.filter((one) => /\p{L}/u.test(one)).length;
    const gone = shown.filter((one) => one.includes("[…]")).length;
    return gone > told ? (/^\s/.exec(line)?.[0] ?? "") : line;
  }

  #word(word: string, isSecret: boolean, isName: boolean): string {
    const [, before = "", core = "", after = ""] =
      /^(["'“”‘’\x60(*_–—-]*)(.*?)(['’]s)?["'“”‘’\x60)*_,.;:!?…–—-]*$/su.exec(word) ?? [];
    if (core === "") return word.replaceAll(/[^\s.,;:!?()"'–—-]/g, "");
    const tail = word.slice(before.length + core.length);
    const lower = core.toLowerCase();
    const isKnown =
      !isName &&
      !this.#isPrivate(lower) &&
      !this.#isPersonal(lower) &&
      (this.#programs.has(lower) || isOrdinaryWord(core, this.#isCommon)) &&
      (!isSecret || splitWords(core).every((part) => isEveryday(part)));
    if (isKnown) return word;
    const input = isSecret ? undefined : this.#inputs.get(lower);
    if (input !== undefined) return `${before}<${input}>${tail}`;
    this.#count(core, isSecret);
    return `${before.replaceAll(/[*_\x60]/g, "")}[…]${isSecret ? "" : endOfPath(core)}${after === "" ? tail : tail.slice(after.length)}`;
  }

  /** Documents are called by whom and what they are about, parts of a program are not. */
  #isPersonal(lower: string): boolean {
    const [, stem] = DOCUMENT.exec(lower) ?? [];
    const parts = stem?.split(/[^\p{L}]+/u) ?? [];
    return parts.some((part) => part.length > 2 && !isNobody(part) && !this.#isCommon(part));
  }

  readonly #isCommon = (lower: string): boolean => this.#seen.has(lower) || isEveryday(lower);

  #isPrivate(lower: string): boolean {
    return this.#private.has(lower) || lower.split(/[^\p{L}\d]+/u).some((part) => this.#private.has(part));
  }

  #count(word: string, isSecret: boolean): void {
    const kind = isSecret
      ? "secrets"
      : /@|:\/\/|^\d+\.\d+\.\d+/.test(word)
        ? "addresses"
        : /[\\/]/.test(word)
          ? "paths"
          : /^\p{Lu}\p{Ll}+/u.test(word)
            ? "names"
            : /\d.*[A-Za-z]|[A-Za-z].*\d/.test(word) && word.length >= 8
              ? "secrets"
              : "values";
    this.#counts[kind] += 1;
  }

  #addName(name: string): void {
    for (const part of name.split(/[^\p{L}\d]+/u)) this.#add(part);
  }

  #add(value: string): void {
    const lower = value.toLowerCase();
    if (lower.length >= 3 && this.#private.size < MAX_LEARNED && !isEveryday(lower) && !isNobody(lower))
      this.#private.add(lower);
  }
}

const DOCUMENT =
  /([^/]*)\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|tsv|txt|rtf|eml|mbox|ics|vcf|epub|png|jpe?g|heic|gif|webp|mp[34]|mov|wav|m4a|zip)$/;
const isNamePart = (word = ""): boolean =>
  /^["'“(]?\p{Lu}\p{Ll}+(?:['’]s)?[\p{P}]*$/u.test(word) &&
  !isProduct(word.toLowerCase().replaceAll(/\P{L}+$/gu, ""));
const plain = (text: string): string => text.replace(UNSEEN, "");
const isEveryday = (word: string): boolean =>
  STOP_WORDS.has(word) || isTaskWord(word) || tellingOf(stemWord(word)) < 1 || SECRET_TALK.test(word);

/** Of machines and services, not of people. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  "user users username you me name admin administrator root ubuntu debian node app runner dev work git test default guest public shared vagrant docker jenkins build ci localhost support info contact sales team hello office billing security deploy service home code project main master origin github gitlab example com org net demo sample logo draft final copy output input result".split(
    " ",
  ),
);

const isNobody = (lower: string): boolean => COMMON_NAMES.has(lower) || isProduct(lower);
