import { posix } from "node:path";
import type { Fact } from "../../fact/fact.ts";
import { MAX_PARSED_CHARACTERS } from "../../scan-limits.ts";
import type { SourceText } from "../../text/source-text.ts";
import { remembered, wordSet } from "../../word-list.ts";
import { type Analysis, NOTHING, type Siblings } from "../fact-writer.ts";
import { Evaluator } from "./evaluator.ts";
import { jsonValue } from "./fold-function.ts";
import { lowerLisp } from "./lower-lisp.ts";
import { lowerOther } from "./lower-other.ts";
import { lowerProgram } from "./lower-program.ts";
import { display, FactRecorder, type Modules } from "./machine.ts";
import { LISP_FILES } from "./other-api.ts";
import { NESTED, type Program, type Remark } from "./program-tree.ts";
import { PYTHON_API } from "./python-api.ts";
import { HOLE, MAX_FOLDED_CHARACTERS, type Value } from "./value.ts";

/** Python, JavaScript, TypeScript and, less exactly, all other programming languages. */
export function analyseProgram(source: SourceText, siblings?: Siblings): Analysis {
  if (source.language === "code" && !TELLING.test(source.text)) return NOTHING;
  const store = siblings === undefined ? undefined : ModuleStore.of(siblings);
  const program = store?.lower(source) ?? lower(source);
  const recorder = new FactRecorder(source);
  const modules = store?.seenFrom(source.file, program.language);
  const evaluator = new Evaluator({ program, recorder, modules });
  evaluator.run();
  concludeSigns(evaluator, recorder);
  const news = store?.takeNews();
  const texts = [
    ...recorder.texts,
    ...remarkTexts(source, program.remarks, recorder),
    ...(news?.texts ?? []),
  ];
  const unread = unreadOf(source, program, evaluator);
  return {
    facts: [...recorder.facts, ...(news?.facts ?? [])],
    texts,
    ...(unread === undefined ? {} : { unread }),
  };
}

/** Code too long to parse is read like languages without a parser, which still finds what is spelled out. */
function lower(source: SourceText): Program {
  const isOther = source.language === "code" || source.text.length > MAX_PARSED_CHARACTERS;
  if (!isOther) return lowerProgram(source);
  return LISP_FILES.test(source.file) ? lowerLisp(source) : lowerOther(source);
}

/** Acts that only two halves together make. */
function concludeSigns({ signs }: Evaluator, recorder: FactRecorder): void {
  if (signs.socketOnDescriptor !== undefined && signs.ranShell) {
    const { span, host } = signs.socketOnDescriptor;
    const how = "a socket becomes the input and output of a shell";
    recorder.act({ type: "remote-shell", host: display(host), how }, span);
  }
  for (const [path, span] of signs.encryptedPaths) {
    const shown = display(path);
    const isOfPerson = /^(?:~|\/(?:home|Users|root)?(?:\/|$)|[A-Za-z]:)/.test(shown) && shown.includes("*");
    const isReplaced = [...signs.removedPaths].some((removed) => path.startsWith(removed));
    const detail = `${shown} is encrypted and the original removed`;
    if (isOfPerson && isReplaced) recorder.act({ type: "destroy", what: "encrypt", detail }, span);
  }
}

function unreadOf(source: SourceText, program: Program, evaluator: Evaluator): string | undefined {
  const isUnparsed = source.language !== "code" && program.language === "code";
  const reasons = [
    isUnparsed && `code is longer than ${MAX_PARSED_CHARACTERS} characters: read as text, not parsed`,
    program.cut,
    evaluator.isCut && NESTED,
  ].filter((reason) => typeof reason === "string");
  if (reasons.length > 0) return [...new Set(reasons)].join("; ");
  // Code inside a text has gaps that the program fills in.
  if (!source.keepsLines) return undefined;
  // Newer syntax and templates cause a few errors; a fifth means another language or a disguise.
  if (program.errorCharacters >= 20 && program.errorCharacters * 5 > source.text.length)
    return `${program.errorCharacters} characters could not be parsed`;
  return undefined;
}

const MIN_REMARK_CHARACTERS = 20;
const MAX_REMARKS = 200;

function remarkTexts(
  source: SourceText,
  remarks: readonly Remark[],
  recorder: FactRecorder,
): readonly SourceText[] {
  const texts: SourceText[] = [];
  for (const remark of remarks) {
    if (texts.length >= MAX_REMARKS) break;
    for (const { text, stance } of partsOf(remark)) {
      if (text.length <= MIN_REMARK_CHARACTERS || !speaks(text)) continue;
      if (!/\s/.test(text.trim()) && !OTHER_SCRIPT.test(text)) continue;
      texts.push({
        ...source,
        text,
        language: "markdown",
        firstLine: recorder.lineOf(remark.from),
        medium: remark.kind === "string" ? "config" : "comment",
        stance: source.stance === "live" ? stance : source.stance,
        isRepetition: false,
      });
    }
  }
  return texts;
}

/** The words of a comment, and the example code in it, which nobody runs; both keep their lines. */
function partsOf({ text }: Remark): readonly Pick<SourceText, "text" | "stance">[] {
  if (!text.includes("```") && !text.includes("@example")) return [{ text, stance: "live" }];
  const said: string[] = [];
  const shown: string[] = [];
  let isFenced = false;
  let isExample = false;
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    const tag = isFenced ? undefined : /^\s*@(\w+)/.exec(line)?.[1];
    if (tag !== undefined) isExample = tag === "example";
    const isShown = isFence || isFenced || isExample;
    said.push(isShown ? "" : line);
    shown.push(isShown ? line : "");
    if (isFence) isFenced = !isFenced;
  }
  return [
    { text: said.join("\n"), stance: "live" },
    { text: shown.join("\n"), stance: "example" },
  ];
}

/** Whether a text tells a reader, above all a model, what to do; text in other scripts always counts. */
function speaks(text: string): boolean {
  return SPEAKING.test(text) || OTHER_SCRIPT.test(text);
}

const SPEAKING =
  /\b(?:you|your|must|always|never|ignore|disregard|forget|override|instructions?|prompt|assistant|agent|model|claude|gpt|llm|ai|system|user|secret(?:ly)?|silent(?:ly)?|important|required?|send|upload|execute|run|fetch|download|install|paste|copy|do not|don't)\b/i;
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;

/** Per skill, for modules followed from others; each module is also analysed separately in any case. */
const MAX_MODULES = 64;
const MAX_CHARACTERS = 512 * 1024;
const MAX_DEPTH = 4;

/** The modules of one skill that others import: evaluated once, then called by every importer. */
class ModuleStore {
  readonly #siblings: Siblings;
  readonly #values = new Map<string, Value | undefined>();
  readonly #recorders: { readonly recorder: FactRecorder; facts: number; texts: number }[] = [];
  readonly #lowered = new Map<string, Program>();
  #loweredCharacters = 0;
  #characters = 0;
  #depth = 0;

  constructor(siblings: Siblings) {
    this.#siblings = siblings;
  }

  static of(siblings: Siblings): ModuleStore {
    return remembered(STORES, siblings, (own) => new ModuleStore(own));
  }

  seenFrom(file: string, language: Program["language"]): Modules {
    return {
      module: (specifier) => {
        // A file that is named like a library must not hide the library's effects.
        if (language === "python" && isLibrary(specifier)) return undefined;
        const source = resolveModule(this.#siblings, specifier, file, language);
        return source === undefined ? undefined : this.#valueOf(source);
      },
      text: (path) => {
        const known = path.slice(path.lastIndexOf(HOLE) + 1).replace(/^\/+/, path.includes(HOLE) ? "" : "/");
        const text = resolveData(this.#siblings, known, file)?.text;
        return text === undefined || text.length > MAX_FOLDED_CHARACTERS ? undefined : text;
      },
    };
  }

  /** Facts found inside modules since the last call because of calls from outside. */
  takeNews(): { readonly facts: readonly Fact[]; readonly texts: readonly SourceText[] } {
    const facts: Fact[] = [];
    const texts: SourceText[] = [];
    for (const known of this.#recorders) {
      facts.push(...known.recorder.facts.slice(known.facts));
      texts.push(...known.recorder.texts.slice(known.texts));
      known.facts = known.recorder.facts.length;
      known.texts = known.recorder.texts.length;
    }
    return { facts, texts };
  }

  /** A program in the common form, parsed once even if it is both read directly and imported. */
  lower(source: SourceText): Program {
    const isFile = source.keepsLines && source.firstLine === 1 && source.chain.length === 0;
    if (!isFile) return lower(source);
    const key = `${source.language} ${source.file} ${source.text}`;
    const known = this.#lowered.get(key);
    if (known !== undefined) return known;
    const lowered = lower(source);
    this.#loweredCharacters += source.text.length;
    if (this.#loweredCharacters <= MAX_CHARACTERS) this.#lowered.set(key, lowered);
    return lowered;
  }

  #valueOf(source: SourceText): Value | undefined {
    // Also during its evaluation, if modules import each other.
    if (this.#values.has(source.file)) return this.#values.get(source.file);
    this.#values.set(source.file, undefined);
    const value = source.language === "json" ? jsonValue(source.text) : this.#evaluate(source);
    this.#values.set(source.file, value);
    return value;
  }

  #evaluate(source: SourceText): Value | undefined {
    if (!PROGRAMS.has(source.language) || !TELLING.test(source.text)) return undefined;
    this.#characters += source.text.length;
    const isRefused =
      this.#characters > MAX_CHARACTERS || this.#recorders.length >= MAX_MODULES || this.#depth >= MAX_DEPTH;
    if (isRefused) return undefined;
    this.#depth++;
    const program = this.lower(source);
    const recorder = new FactRecorder(source, "sibling");
    const modules = this.seenFrom(source.file, program.language);
    const evaluator = new Evaluator({ program, recorder, modules });
    evaluator.run();
    this.#depth--;
    // Its own facts are for its own analysis.
    this.#recorders.push({ recorder, facts: recorder.facts.length, texts: recorder.texts.length });
    return evaluator.exported();
  }
}

const STORES = new WeakMap<Siblings, ModuleStore>();
const PROGRAMS: ReadonlySet<string> = new Set(["python", "javascript", "typescript"]);

/** Whether a module contains a possible source or destination of data, an address or a path. */
const TELLING =
  /from\s*["'.]|environ|process|open\(|read_|readFile|writeFile|fetch|request|http|socket|base64|b64|atob|Buffer|hex|exec|eval|spawn|system|popen|subprocess|import\(|~\/|\.env|\/tmp|\.ssh|token|secret|path|`|%x|qx|base64|unpack|pack\b|dofile|load|include|source\b|File|Process|Command|shell/i;

const KINDS: ReadonlySet<string> = wordSet("child library server cipher file mailer");
let libraries: ReadonlySet<string> | undefined;

function isLibrary(specifier: string): boolean {
  if (libraries === undefined) {
    const names = [...PYTHON_API.effects.keys()].map((name) => name.split(".", 1)[0] ?? name);
    libraries = new Set(
      [...names, ...(PYTHON_API.roots === "any" ? [] : PYTHON_API.roots)].filter((name) => !KINDS.has(name)),
    );
  }
  return libraries.has(specifier.split(".", 1)[0] ?? specifier);
}

function resolveModule(
  siblings: Siblings,
  specifier: string,
  from: string,
  language: Program["language"],
): SourceText | undefined {
  const paths = language === "python" ? pythonPaths(specifier, from) : javascriptPaths(specifier, from);
  for (const path of paths) {
    const source = path === from ? undefined : siblings.source(path);
    if (source !== undefined) return source;
  }
  return undefined;
}

function resolveData(siblings: Siblings, path: string, from: string): SourceText | undefined {
  if (path === "" || path.length > 300 || /^(?:[~/\\*]|[A-Za-z]:)/.test(path)) return undefined;
  const plain = normalise(path);
  if (plain === undefined || plain === "") return undefined;
  const near = siblings.source(posix.join(folderOf(from), plain)) ?? siblings.source(plain);
  if (near !== undefined) return near;
  // `Path(__file__).parent.parent / "data" / "config.json"`: the starting folder is not known.
  const name = siblings.named(plain.slice(plain.lastIndexOf("/") + 1));
  return name === undefined || !`/${name}`.endsWith(`/${plain}`) ? undefined : siblings.source(name);
}

function pythonPaths(specifier: string, from: string): readonly string[] {
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const name = specifier.slice(dots).replaceAll(".", "/");
  if (name === "" || name.length > 200) return [];
  let folder = folderOf(from);
  for (let up = 1; up < dots; up++) folder = folderOf(folder);
  const folders = dots > 0 ? [folder] : [...ancestorsOf(folder), "scripts", "src", "lib"];
  return folders.flatMap((place) => [
    posix.join(place, `${name}.py`),
    posix.join(place, `${name}/__init__.py`),
  ]);
}

function javascriptPaths(specifier: string, from: string): readonly string[] {
  if (!/^\.\.?\//.test(specifier) || specifier.length > 200) return [];
  const path = normalise(posix.join(folderOf(from), specifier));
  if (path === undefined) return [];
  // TypeScript imports name the compiled file.
  const stem = path.replace(/\.([cm]?)js$/, ".$1ts");
  return [path, stem, ...SUFFIXES.map((suffix) => `${path}${suffix}`)];
}

const SUFFIXES = [".js", ".ts", ".mjs", ".cjs", ".tsx", ".json", "/index.js", "/index.ts", "/index.mjs"];

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "" : folder;
}

function ancestorsOf(folder: string): readonly string[] {
  const folders = [folder];
  for (let place = folder; place !== "" && folders.length < 6; folders.push(place)) place = folderOf(place);
  return folders;
}

/** Without `.` and `..`; undefined if it leaves the skill. */
function normalise(path: string): string | undefined {
  const plain = posix.join(path).replace(/^\/+|\/+$/g, "");
  return plain === ".." || plain.startsWith("../") ? undefined : plain.replace(/^\.$/, "");
}
