import type { Fact } from "../../fact/fact.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Siblings } from "../siblings.ts";
import type { ApiTable } from "./api.ts";
import { Evaluator } from "./evaluator.ts";
import { FactRecorder } from "./fact-recorder.ts";
import { jsonValue } from "./json-value.ts";
import { type LoweredProgram, lowerProgram } from "./lower-program.ts";
import type { Modules } from "./machine.ts";
import { resolveData, resolveModule } from "./resolve-module.ts";
import { HOLE, MAX_FOLDED_CHARACTERS, type Value } from "./value.ts";

/** Of modules that are followed from others, in one skill; each is analysed by itself as well, whatever happens here. */
const MAX_MODULES = 64;
const MAX_CHARACTERS = 512 * 1024;
const MAX_DEPTH = 4;

/** The modules of one skill that others import: evaluated once, then called from wherever they are imported. */
export class ModuleStore {
  readonly #siblings: Siblings;
  readonly #values = new Map<string, Value | undefined>();
  readonly #recorders: { readonly recorder: FactRecorder; facts: number; texts: number }[] = [];
  readonly #lowered = new Map<string, LoweredProgram>();
  #loweredCharacters = 0;
  #characters = 0;
  #depth = 0;

  constructor(siblings: Siblings) {
    this.#siblings = siblings;
  }

  /** The store of a skill, which lives as long as its scan. */
  static of(siblings: Siblings): ModuleStore {
    const known = STORES.get(siblings);
    if (known !== undefined) return known;
    const store = new ModuleStore(siblings);
    STORES.set(siblings, store);
    return store;
  }

  /** The modules as one file sees them. */
  seenFrom(file: string, language: "python" | "javascript", api: ApiTable): Modules {
    return {
      module: (specifier) => {
        // A file that is named like a library must not hide what the library does.
        if (language === "python" && isLibrary(api, specifier)) return undefined;
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

  /** What came to light inside modules since this was last asked, because of how they were called. */
  takeNews(): { readonly facts: readonly Fact[]; readonly texts: readonly SourceText[] } {
    const facts: Fact[] = [];
    const texts: SourceText[] = [];
    for (const known of this.#recorders) {
      facts.push(...known.recorder.facts.slice(known.facts));
      known.facts = known.recorder.facts.length;
      if (known.recorder.textCount === known.texts) continue;
      texts.push(...known.recorder.textsSince(known.texts));
      known.texts = known.recorder.textCount;
    }
    return { facts, texts };
  }

  /** A program in the common form: parsed once, whether it is read by itself or because another imports it. */
  lower(source: SourceText): LoweredProgram {
    const isFile = source.keepsLines && source.firstLine === 1 && source.chain.length === 0;
    if (!isFile) return lowerProgram(source);
    const key = `${source.language} ${source.file} ${source.text}`;
    const known = this.#lowered.get(key);
    if (known !== undefined) return known;
    const lowered = lowerProgram(source);
    this.#loweredCharacters += source.text.length;
    if (this.#loweredCharacters <= MAX_CHARACTERS) this.#lowered.set(key, lowered);
    return lowered;
  }

  #valueOf(source: SourceText): Value | undefined {
    // Also while it is being evaluated, when modules import one another.
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
    const { program, language, api } = this.lower(source);
    const recorder = new FactRecorder(source, "sibling");
    const modules = this.seenFrom(source.file, language, api);
    const evaluator = new Evaluator({ language, api, recorder, modules });
    evaluator.run(program.body);
    this.#depth--;
    // What it says by itself is for its own analysis.
    this.#recorders.push({ recorder, facts: recorder.facts.length, texts: recorder.textCount });
    return evaluator.exported();
  }
}

const STORES = new WeakMap<Siblings, ModuleStore>();
const PROGRAMS: ReadonlySet<string> = new Set(["python", "javascript", "typescript"]);

/** Whether a module has anything that data could come from or go to, or an address or a path. */
const TELLING =
  /from\s*["'.]|environ|process|open\(|read_|readFile|writeFile|fetch|request|http|socket|base64|b64|atob|Buffer|hex|exec|eval|spawn|system|popen|subprocess|import\(|~\/|\.env|\/tmp|\.ssh|token|secret|path/i;

/** Names of the tables that are kinds of objects, not modules. */
const KINDS: ReadonlySet<string> = new Set("child library server cipher file mailer".split(" "));
const LIBRARIES = new WeakMap<ApiTable, ReadonlySet<string>>();

function isLibrary(api: ApiTable, specifier: string): boolean {
  let libraries = LIBRARIES.get(api);
  if (libraries === undefined) {
    const names = [...api.effects.keys()].map((name) => name.split(".", 1)[0] ?? name);
    libraries = new Set([...names, ...api.roots].filter((name) => !KINDS.has(name)));
    LIBRARIES.set(api, libraries);
  }
  return libraries.has(specifier.split(".", 1)[0] ?? specifier);
}
