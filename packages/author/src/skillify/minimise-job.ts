import { tellingOf } from "@skillet/core/internal";
import { removeHidden } from "@skillet/kit/text";
import { splitWords, stemWord } from "@skillet/kit/words";
import type { Transcript } from "../transcript/transcript.ts";
import { findInputs, type SkillInput } from "./find-inputs.ts";
import { isForeign, isOrdinaryForeign, withoutUnknown } from "./foreign-words.ts";
import { type GeneralCommand, INSTALLS, minimalCommand, type Show } from "./general-command.ts";
import { endOfPath, isOfProgram, isOrdinaryPath, isOrdinaryWord, wordsIn } from "./ordinary-words.ts";
import { type Deed, HIDDEN_TOOL, type Job } from "./read-job.ts";
import {
  GIVEN_NAMES,
  isCode,
  isEnding,
  isEveryday,
  isIntimate,
  isNobody,
  isProduct,
  isPublicHost,
  isPublicWord,
  SECRET_TALK,
} from "./vocabulary.ts";

/** Names that must not show, in addition to what is recognised by its form. */
export interface RedactOptions {
  /** The user's home. The user name in its path is removed too. */
  readonly userHome?: string | undefined;
  /** Names of the user and the machine, as the system and git know them. */
  readonly names?: readonly string[] | undefined;
}

/**
 * Keeps only what is known to be harmless of a job: programs, subcommands and options of commands, and
 * ordinary words of sentences. Everything else becomes `<name>` in commands and `[…]` in sentences. A job
 * contains neither the output of tools nor the work of sub-agents.
 */
export function minimiseJob(
  job: Job,
  { events, workspace = "" }: Transcript,
  options: RedactOptions,
): { readonly job: Job; readonly removed: number; readonly inputs: readonly SkillInput[] } {
  const inputs = findInputs(job);
  const minimiser = new Minimiser({ ...options, inputs, workspace });
  for (const event of events)
    if (event.agent === undefined)
      for (const [key, value] of Object.entries(event)) {
        // In JSON, line ends are escape sequences.
        const text = (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(
          /(?<!\\)\\[nrt]/g,
          " ",
        );
        const isTyped = event.kind === "typed" && key === "text";
        minimiser.learn(text, isTyped ? "typed" : key === "input" ? "input" : undefined);
      }
  const deeds = job.deeds.map((deed) => minimiser.deed(deed));
  for (const deed of deeds) if (deed.kind === "command") minimiser.learnProgram(deed.command);
  const texts = (list: readonly string[]): readonly string[] => list.map((text) => minimiser.prose(text));
  return {
    job: {
      goal: minimiser.prose(job.goal),
      repeats: texts(job.repeats),
      deeds,
      earlier: [],
      looks: job.looks,
      corrections: texts(job.corrections),
      ...(job.title !== undefined && { title: minimiser.prose(job.title) }),
    },
    removed: minimiser.removed,
    inputs,
  };
}

/** Keeps only the ordinary words of a text, for example the title of a conversation. */
export function redactText(text: string, options: RedactOptions = {}): string {
  const minimiser = new Minimiser(options);
  minimiser.learn(text, "typed");
  return minimiser.prose(text);
}

/** Pasted text: code, front matter, comments, and lines of a quotation or a log. */
const PASTED =
  /^(?:```|~~~)[\s\S]*?(?:^(?:```|~~~)|(?![\s\S]))|^---[ \t]*\n[\s\S]{0,4000}?\n---[ \t]*$|<!--[\s\S]{0,4000}?(?:-->|(?![\s\S]))|^[ \t]*[>{}|+#<$][^\n]*$/gm;
/** Where a script without spaces meets another script, and names before a form of address in such a script. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const UNSPACED_EDGE = new RegExp(
  `(?<=[${UNSPACED}ー])(?=[A-Za-z\\d])|(?<=[A-Za-z\\d])(?=[${UNSPACED}])`,
  "gu",
);
const UNSPACED_NAME =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{1,4}(?=さん|様|氏|先生|くん|ちゃん|先輩|部長|課長|社長)|(?<=株式会社|有限会社)[\p{L}ー]{1,12}|[\p{L}ー]{1,12}(?=株式会社|有限会社|公司)/gu;
/** Text whose parts name a person or a place: addresses, logins, home folders. */
const TELLS_NAMES =
  /[\w.+-]{1,64}@[\w.-]{2,100}|(?:\/(?:home|Users)|[A-Za-z]:[\\/]{1,4}Users)[\\/]{1,4}([\p{L}\d._-]{2,64}(?: \p{Lu}[\p{L}\d._-]{1,40})?)|(?<![\w/~])~[a-z][\w.-]{2,31}(?=\/)|(?<![\w@/.\x60])@[A-Za-z][\w-]{2,38}/gu;
/** Text whose parts name a project, a customer or a machine: install and source folders, repositories, hosts. */
const TELLS_PLACES =
  /(?:\/(?:srv|opt|mnt|media|data|volumes|var\/(?:www|lib|log|backups?))|(?<=~|\/(?:home|Users)\/[\w.-]{1,64})\/(?:work|src|source|projects?|code|dev|repos?|git|sites|clients?|customers?))\/([\w.-]{3,64})|\b(?:github|gitlab|bitbucket)\.(?:com|org)[/:]([\w.-]{1,64}\/[\w.-]{1,64})|:\/\/(?:[^\s@/"]{1,200}@)?(?!(?:github|gitlab|bitbucket)\.)([\w.-]{3,100})|\/\/(?!(?:github|gitlab|bitbucket)\.)([\w-]{2,63}(?:\.[\w-]{2,63}){1,5})\/|\b([\w-]{2,63}(?:\.[\w-]{2,63}){0,4})\.(?:internal|local|lan|corp|intra|intranet|home\.arpa)\b/gi;
const TELLS_SECRETS = new RegExp(
  String.raw`${SECRET_TALK.source}[\w-]{0,20}["'\\]{0,4}(\s{0,3}[=:]\s{0,3}|\s{1,3}(?:(?:is|was|ist|es|est)\s{1,3})?)["'\\]{0,4}([^\s"'\\,;&|<>]{3,200})`,
  "giu",
);
/** Beside a removed name: what is said about a person is private even in ordinary words. */
const OF_A_PERSON = /\b(?:he|him|his|she|hers?)\b/i;
const MAX_LEARNED = 2_000;
const MAX_NAMED = 20_000;
/** A secret may come up to this many words before the word for it: "mellon is the password". */
const NEAR_WORDS = 4;

export class Minimiser {
  /** The context shows that these name a person or an object. */
  readonly #private = new Set<string>();
  /** Part of a longer name, or capitalised, so possibly a name. */
  readonly #named = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #inputs: ReadonlyMap<string, string>;
  readonly #given: readonly SkillInput[];
  /** How many words were removed in total. */
  removed = 0;
  /** Words that were typed and are not ordinary English words. */
  readonly #typed = new Set<string>();
  /** Whether the whole conversation, and the current text, is in another language. */
  #wasForeign = false;
  #isForeign = false;

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

  /** Learns from the context which words of a text are private, so that they are removed wherever they occur. */
  learn(text: string, source?: "typed" | "input"): void {
    for (const [whole, owner = whole] of text.matchAll(TELLS_NAMES))
      if (!isPublicAddress(whole)) this.#addName(owner.replace(/\.\w{2,5}$/, ""));
    for (const [, sign = "", value = ""] of text.matchAll(TELLS_SECRETS)) {
      this.#add(value);
      // The punctuation that ends the sentence does not occur with the word elsewhere.
      const word = value.replace(/[.!?):\]]{1,3}$/, "").toLowerCase();
      this.#add(word);
      // "The password is sunshine", but not "the password is wrong" or "password reset".
      if (/\S/.test(sign) && tellingOf(stemWord(word)) === 1 && this.#private.size < MAX_LEARNED)
        this.#private.add(word);
    }
    for (const [, ...found] of text.matchAll(TELLS_PLACES)) {
      const place = found.find((one) => one !== undefined) ?? "";
      if (!isPublicHost(place)) this.#addName(place.replace(/\.(?:git|com|org|net|io|dev|app|co)$/, ""));
    }
    for (const token of text.split(/[\s"'`,;(){}[\]<>|&=]+/)) {
      // In the input of a tool, every word that is not part of a program may be the name of anything.
      const isName = source === "input" || /\p{Lu}|[\d_@/:.#-]/u.test(token);
      if (isName && !isOfProgram(token)) this.#name(token);
      const [, word] = /^(\p{L}{2,})[.!?:]{0,3}$/u.exec(token) ?? [];
      const lower = source === "typed" ? word?.toLowerCase() : undefined;
      if (lower !== undefined && !isEveryday(lower) && this.#typed.size < MAX_NAMED) this.#typed.add(lower);
    }
    if (source === "typed") this.#wasForeign ||= isForeign(text) === true;
  }

  /** A sentence may name what a step shows anyway: a program, its package, its subcommand. */
  learnProgram({ key, words }: GeneralCommand): void {
    const packages = INSTALLS.test(key)
      ? words.map((word) => /^[a-z][a-z\d-]+(?=@|$)/.exec(word)?.[0] ?? "")
      : [];
    for (const word of [...key.toLowerCase().split(/[^a-z\d]+/), ...packages])
      if (word.length > 2 && this.#programs.size < MAX_LEARNED) this.#programs.add(word);
  }

  deed(deed: Deed): Deed {
    const show: Show = (word, minimal, kind) => {
      const [option] = /^(?:-[^=]*)?/.exec(minimal) ?? [""];
      const isHidden =
        this.#isPrivate(minimal.toLowerCase()) ||
        (kind !== "word"
          ? wordsIn(minimal).some(
              (one) => this.#holdsPrivate(one) || (kind === "choice" && this.#isSuspect(one)),
            )
          : wordsIn(option).some((one) => this.#isSuspect(one)) ||
            !this.#isOrdinary(minimal.slice(option.length)));
      if (isHidden || minimal !== word) this.removed += 1;
      return isHidden ? this.#placeholder(word).replace(/^<file>$/, "<value>") : minimal;
    };
    if (deed.kind === "command")
      return { kind: "command", command: minimalCommand(deed.command, this.#given, show) };
    if (deed.kind === "edit") return { kind: "edit", files: deed.files.map((file) => this.#path(file)) };
    const isPlain =
      /^[A-Za-z]+(?:[_.-]{1,2}[A-Za-z]+)*$/.test(deed.tool) &&
      wordsIn(deed.tool.replace(/^mcp_+/, "")).every((one) => isPublicWord(one) && !this.#isPrivate(one));
    return {
      kind: "other",
      tool: isPlain ? deed.tool : HIDDEN_TOOL,
      fields: deed.fields.filter(
        (name) =>
          /^[a-z][A-Za-z]*(?:[_-][A-Za-z]+){0,4}$/.test(name) &&
          wordsIn(name).every((one) => this.#isKnown(one)),
      ),
    };
  }

  #path(file: string): string {
    if (isOrdinaryPath(file) && !this.#isPrivate(file.toLowerCase()) && this.#isOrdinary(file)) return file;
    this.removed += 1;
    return this.#placeholder(file);
  }

  #placeholder(path: string): string {
    const end = this.#end(path);
    return end.startsWith("/") ? `<folder>${end}` : `<file>${end}`;
  }

  readonly #end = (path: string): string =>
    endOfPath(path, (name) => this.#isOrdinary(name) && !this.#isPrivate(name.toLowerCase()));

  /** Keeps the ordinary words of a text; other words become `<name>` if they are an input, otherwise `[…]`. */
  prose(text: string): string {
    let wasSecret = false;
    this.#isForeign = isForeign(text) ?? this.#wasForeign;
    const sentences = withoutUnknown(
      removeHidden(text).replaceAll(PASTED, "").replaceAll(UNSPACED_NAME, "[…]"),
    )
      .replaceAll(UNSPACED_EDGE, " ")
      .split(/(?<=[.!?:])(?=\s)|(?<=[。！？])|(?=\n)/)
      .map((sentence) => {
        const words = sentence.split(/(\s+)/);
        const talk = SECRET_TALK.exec(sentence);
        const isAfter = talk === null && wasSecret && words.length < 10;
        wasSecret = talk !== null || isAfter;
        // Words well before it are about something else.
        const from = (sentence.slice(0, talk?.index ?? 0).match(/\s+/g)?.length ?? 0) - NEAR_WORDS;
        return this.#sentence(words, wasSecret ? Math.max(0, 2 * from) : words.length);
      });
    return sentences.join("").trim();
  }

  #sentence(words: readonly string[], secretFrom: number): string {
    const shown = words.map((word, at) => {
      if (!/\S/.test(word)) return word.includes("\n") ? "\n" : " ";
      // Words and spaces alternate. Two capitalised words in a row form a name, even if each is an ordinary word.
      const isName =
        at > 0 && isNamePart(word) && [at - 2, at + 2].some((one) => one > 0 && isNamePart(words[one]));
      const isGiven =
        at > 1 && isNamePart(word) && GIVEN_NAMES.has(word.toLowerCase().replace(/\P{L}.*$/u, ""));
      const lower = word.toLowerCase().replaceAll(/^\P{L}+|\P{L}+$/gu, "");
      // German capitalises nouns.
      const isNoun = this.#isForeign && isOrdinaryForeign(lower);
      const isInNumber = isDigits(word) && (isDigits(words[at - 2]) || isDigits(words[at + 2]));
      return this.#word(word, at >= secretFrom, (isName && !isNoun) || isGiven || isInNumber);
    });
    const line = shown.join("").replaceAll(/\[…\](?:[\s,;/]*\[…\])+/g, "[…]");
    // The remains of a log line or a table row say nothing.
    const told = shown.filter((one) => /\p{L}/u.test(one)).length;
    const gone = line.split("[…]").length - 1;
    return gone > told || (gone > 0 && OF_A_PERSON.test(line)) ? (/^\s/.exec(line)?.[0] ?? "") : line;
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
      !isIntimate(lower) &&
      isOrdinaryWord(core, (one) => this.#isCommon(one, core)) &&
      (!isSecret || splitWords(core).every((part) => isEveryday(part)));
    if (isKnown) return word;
    const input = isSecret ? undefined : this.#inputs.get(lower);
    if (input !== undefined) return `${before}<${input}>${tail}`;
    this.removed += 1;
    return `${before.replaceAll(/[*_\x60]/g, "")}[…]${isSecret ? "" : this.#end(core)}${after === "" ? tail : tail.slice(after.length)}`;
  }

  #isCommon(lower: string, word: string): boolean {
    // For names and initials, two letters are enough.
    if (/^\p{Lu}\p{L}?\.?$/u.test(word)) return isEveryday(lower);
    const isPart = isOfProgram(word) && this.#isUnnamed(lower);
    return this.#isKnown(lower) || isPart || (this.#isForeign && isOrdinaryForeign(lower));
  }

  #isUnnamed(lower: string): boolean {
    return !this.#named.has(lower) && !this.#typed.has(lower);
  }

  #isKnown(lower: string): boolean {
    return (
      /^[a-z\d]{1,2}$/.test(lower) ||
      isEveryday(lower) ||
      isNobody(lower) ||
      this.#programs.has(lower) ||
      isEnding(lower) ||
      isCode(lower)
    );
  }

  /** Whether a path or value has ordinary words only; parts of programs may have others that name nothing elsewhere. */
  #isOrdinary(text: string): boolean {
    const isPart = isOfProgram(text);
    return wordsIn(text).every(
      (one) =>
        this.#isKnown(one) ||
        (isPart && this.#isUnnamed(one)) ||
        (this.#wasForeign && isOrdinaryForeign(one)),
    );
  }

  #isPrivate(lower: string): boolean {
    return this.#private.has(lower) || lower.split(/[^\p{L}\d]+/u).some((part) => this.#private.has(part));
  }

  /** Whether a word that should only be a name of options and tools may name something private. */
  #isSuspect(lower: string): boolean {
    return this.#isPrivate(lower) || (!this.#isKnown(lower) && this.#typed.has(lower));
  }

  /** `kestrelctl` contains the name of its owner. */
  #holdsPrivate(word: string): boolean {
    return [...this.#private].some((one) => one.length > 4 && word.includes(one));
  }

  #name(token: string): void {
    for (const part of wordsIn(token)) if (this.#named.size < MAX_NAMED) this.#named.add(part);
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

/** Addresses of services and of documentation. */
const isPublicAddress = (address: string): boolean =>
  /^git@(?:github|gitlab)|@(?:users\.noreply\.github\.com)$|^(?:noreply|no-reply)@|^@(?:types|angular|babel|vue|nestjs|testing-library|param|returns?|ts-ignore|media)\b/i.test(
    address,
  );
const isNamePart = (word = ""): boolean =>
  /^["'“(]?\p{Lu}\p{Ll}+(?:['’]s)?[\p{P}]*$/u.test(word) &&
  !isProduct(word.toLowerCase().replaceAll(/\P{L}+$/gu, ""));
/** Two of these in a row are a phone number, an account or an address. */
const isDigits = (word = ""): boolean => /^[+(]?\d[\d()./-]*[,;.!?]?$/.test(word);
