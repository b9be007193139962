import { addressInCode } from "@skillet/shell";
import type { Sink } from "../../../fact/sink.ts";
import { hostOf } from "../../../host/classify-host.ts";
import { wordSet } from "../../../word-list.ts";
import type { FactRecorder } from "../machine.ts";
import { type Taint, unionTaints, withStep } from "../value.ts";
import { type OtherStatement, splitStatements } from "./split-statements.ts";
import {
  CONNECTS,
  connectedHost,
  EVALUATES,
  EVALUATES_IN,
  RUNS,
  sourcesOf,
  urlIn,
  WRITES,
} from "./statement-sources.ts";

const MAX_REMEMBERED = 2_000;
const MAX_FILES = 64;
const MAX_TEXTS = 64;

interface Known {
  readonly taints: readonly Taint[];
  readonly texts: readonly string[];
  readonly url?: string | undefined;
  readonly isShell?: boolean | undefined;
}

const NOTHING: Known = { taints: [], texts: [] };

/** The text is read twice, since functions may stand below those who call them; facts are recorded the second time. */
export function traceStatements(text: string, file: string, recorder: FactRecorder): void {
  const words = EVALUATES_IN.find(([name]) => name.test(file))?.[1];
  if (!SOURCE_HINT.test(text) && !EVALUATES.test(text)) return;
  const statements = splitStatements(text, file);
  const isLastReturned = /\.(?:rb|rake|exs?|jl|r|rs|kts?|scala|el|clj)$/i.test(file);
  const tracer = new StatementTracer(recorder, { words, isLastReturned });
  tracer.run(statements, "learn");
  tracer.run(statements, "record");
}

/** Without any of these there is nothing to follow. */
const SOURCE_HINT =
  /https?:\/\/|\bhidden answer\b|\b(?:curl|wget|ENV|_ENV|get_?env|environ\w{0,8}|env::vars?|decode\w{0,4}|DecodeString|base64\w{0,8}|inflate|unpack|Dial|\w{0,4}Socket\w{0,4}|fsockopen|connect)\b|\.(?:ssh|aws|kube|gnupg|env|netrc|npmrc)\b/i;

interface Dialect {
  /** What evaluates code in this language alone. */
  readonly words: RegExp | undefined;
  /** In some languages a function gives back what its last statement is worth. */
  readonly isLastReturned: boolean;
}

class StatementTracer {
  readonly #recorder: FactRecorder;
  readonly #dialect: Dialect;
  readonly #functions = new Map<
    string,
    { readonly parameters: readonly string[]; returns: readonly Taint[] }
  >();
  readonly #given = new Map<string, Known>();
  /** Files by their path, with what was written to them. */
  readonly #files = new Map<string, readonly Taint[]>();
  readonly #known = new Map<string, Known>();
  readonly #locals = new Set<string>();
  #isRecording = false;
  #inside: string | undefined;
  #socket: { readonly host: string } | undefined;

  constructor(recorder: FactRecorder, dialect: Dialect) {
    this.#recorder = recorder;
    this.#dialect = dialect;
  }

  run(statements: readonly OtherStatement[], mode: "learn" | "record"): void {
    this.#isRecording = mode === "record";
    this.#known.clear();
    this.#locals.clear();
    this.#inside = undefined;
    this.#socket = undefined;
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: OtherStatement): void {
    const header = HEADER.exec(statement.code);
    if (header !== null) this.#enter(header[1] ?? "", statement);
    const assigned = header === null ? readAssignment(statement.code) : undefined;
    const uses = this.#usesOf(statement, assigned?.replaces === true ? assigned.names : []);
    const url =
      urlIn(uses.texts) ?? uses.url ?? uses.texts.map(addressInCode).find((found) => found !== undefined);
    const own = sourcesOf(statement, uses.texts, url).map(
      (source): Taint => ({ source, steps: [this.#recorder.step(statement)], isDirect: true }),
    );
    const taints = unionTaints(own, uses.taints);
    const isShell = RUNS.test(statement.code) && statement.literals.some((literal) => SHELL.test(literal));
    this.#connect(statement, url);
    this.#judge(statement, taints, url, isShell || uses.isShell === true);
    for (const name of uses.called) this.#give(name, { taints, texts: uses.texts, url });
    this.#write(statement, taints, uses.texts);
    this.#assign(statement, assigned, {
      taints: withStep(taints, this.#recorder.step(statement)),
      texts: uses.texts.slice(0, 8),
      url,
      isShell: isShell || uses.isShell,
    });
    this.#leave(statement, assigned, own);
  }

  /** A function begins: what it is given is what its callers gave it in the first reading. */
  #enter(name: string, statement: OtherStatement): void {
    this.#inside = name;
    for (const local of this.#locals) this.#known.delete(local);
    this.#locals.clear();
    const list = /\(([^()]{0,300})\)/.exec(statement.code)?.[1] ?? "";
    const parameters = list
      .split(",")
      .map((part) => /^[\s$@%&*.]{0,8}([A-Za-z_]\w{0,80})/.exec(part)?.[1] ?? "")
      .filter((parameter) => parameter !== "");
    const returns = this.#functions.get(name)?.returns ?? [];
    if (this.#functions.size < MAX_REMEMBERED) this.#functions.set(name, { parameters, returns });
    for (const parameter of parameters)
      this.#set(parameter, this.#given.get(`${name} ${parameter}`) ?? NOTHING);
  }

  #usesOf(
    statement: OtherStatement,
    replaced: readonly string[],
  ): Known & { readonly called: readonly string[] } {
    let taints: readonly Taint[] = [];
    const texts = [...statement.literals];
    const called: string[] = [];
    let url: string | undefined;
    let isShell = false;
    for (const name of statement.names) {
      const isReplaced = replaced.includes(name) && !hasTwice(statement.code, name);
      const known = isReplaced ? NOTHING : (this.#known.get(name) ?? NOTHING);
      taints = unionTaints(taints, known.taints);
      if (texts.length < MAX_TEXTS) texts.push(...known.texts);
      url ??= known.url;
      isShell ||= known.isShell === true;
      const definition = this.#functions.get(name);
      if (definition === undefined || name === this.#inside) continue;
      called.push(name);
      taints = unionTaints(taints, definition.returns);
    }
    return { taints, texts, url, isShell, called };
  }

  #connect(statement: OtherStatement, url: string | undefined): void {
    if (!CONNECTS.test(statement.code)) return;
    this.#socket = { host: connectedHost(statement.literals) ?? hostOf(url ?? "") ?? "*" };
  }

  #judge(
    statement: OtherStatement,
    taints: readonly Taint[],
    url: string | undefined,
    isShell: boolean,
  ): void {
    const { code } = statement;
    const fetched = taints.filter(({ source }) => source.type === "network");
    const decoded = taints.filter(({ source }) => source.type === "decoded");
    const evaluation = EVALUATES.exec(code) ?? this.#dialect.words?.exec(code);
    const by = evaluation?.[1] ?? evaluation?.[2];
    // The name of a module is not what the module is then asked for.
    const isModule = by === "require" && !/[/:]/.test(statement.literals[0] ?? "/");
    if (by !== undefined && !isModule) {
      this.#flow(statement, fetched, { type: "execute", how: "eval", by });
      this.#flow(statement, decoded, { type: "execute", how: "eval", by });
      const isPlain = fetched.length === 0 && decoded.length === 0 && EVALUATES.exec(code)?.[1] === by;
      if (isPlain && this.#isRecording) this.#recorder.act({ type: "dynamic-code", by }, statement);
    }
    const run = RUNS.exec(code);
    if (run !== null) this.#run(statement, [...fetched, ...decoded], run.slice(1).find((part) => part) ?? "");
    if (isShell) this.#shell(statement, taints);
    const secrets = taints.filter(({ source }) => source.type === "secret");
    if (secrets.length > 0) this.#send(statement, secrets, url);
  }

  #run(statement: OtherStatement, taints: readonly Taint[], by: string): void {
    // An address for a fetcher is not run: only a text that is handed over, or a file that was written.
    const handed = taints.filter(({ source, steps }) => source.type !== "network" || steps.length > 1);
    this.#flow(statement, handed, { type: "execute", how: "shell", by });
    if (this.#files.size === 0) return;
    const words = [...statement.literals, ...statement.commands];
    for (const [path, written] of this.#files)
      if (words.some((word) => word.includes(path)) || this.#namesText(statement, path))
        this.#flow(statement, written, { type: "execute", how: "file", by });
  }

  #namesText(statement: OtherStatement, text: string): boolean {
    return statement.names.some((name) => this.#known.get(name)?.texts.includes(text) === true);
  }

  /** A shell whose input or output is the connection, or a descriptor that the connection has. */
  #shell(statement: OtherStatement, taints: readonly Taint[]): void {
    if (!this.#isRecording) return;
    const socket = taints.find(({ source }) => source.type === "network" && source.url?.startsWith("tcp:"));
    const isDescriptor =
      this.#socket !== undefined &&
      [...statement.literals, ...statement.commands].some((text) => /[<>]&\s?(?:\d|%d|#\{|\$)/.test(text));
    if (socket === undefined && !isDescriptor) return;
    const how = "a socket becomes the input and output of a shell";
    this.#recorder.act({ type: "remote-shell", host: this.#socket?.host ?? "*", how }, statement);
  }

  #send(statement: OtherStatement, secrets: readonly Taint[], url: string | undefined): void {
    const { code } = statement;
    const isSocket =
      this.#socket !== undefined &&
      /[.>](?:puts|print|write\w{0,10}|send|Write|Send)\b|socket_write|fwrite/.test(code);
    // Whatever it is called: something private and an address in one statement.
    if (url === undefined && !isSocket) return;
    const host = url === undefined ? this.#socket?.host : hostOf(url);
    this.#flow(statement, secrets, {
      type: "network",
      how: url === undefined ? "socket" : "http",
      ...(url !== undefined && { url }),
      ...(host !== undefined && { host }),
    });
  }

  #give(name: string, known: Known): void {
    for (const parameter of this.#functions.get(name)?.parameters ?? []) {
      const key = `${name} ${parameter}`;
      if (this.#given.size < MAX_REMEMBERED)
        this.#given.set(key, join(this.#given.get(key), { ...known, texts: known.texts.slice(0, 8) }));
    }
  }

  #write(statement: OtherStatement, taints: readonly Taint[], texts: readonly string[]): void {
    const fetched = taints.filter(({ source }) => source.type === "network" || source.type === "decoded");
    if (fetched.length === 0 || !WRITES.test(statement.code)) return;
    for (const path of texts)
      if (PATH.test(path) && this.#files.size < MAX_FILES)
        this.#files.set(path, unionTaints(this.#files.get(path) ?? [], fetched));
  }

  #assign(statement: OtherStatement, assigned: OtherAssignment | undefined, known: Known): void {
    for (const name of assigned?.names ?? []) {
      this.#set(name, assigned?.replaces === true ? known : join(this.#known.get(name), known));
      if (assigned?.isShared === true) this.#locals.delete(name);
    }
    if (assigned !== undefined || known.taints.length === 0) return;
    // `form.append(key)` and `setopt(handle, key)` put it into what they are called on.
    const holder = /^[\s$@]{0,40}(?:[A-Za-z_]\w{0,40}\s{0,4}\([\s$&]{0,4})?([A-Za-z_]\w{0,80})/.exec(
      statement.code,
    )?.[1];
    const held = holder === undefined ? undefined : this.#known.get(holder);
    if (holder !== undefined && held !== undefined) this.#set(holder, join(held, known));
  }

  #leave(statement: OtherStatement, assigned: OtherAssignment | undefined, own: readonly Taint[]): void {
    if (this.#inside === undefined) return;
    if (/^\}?\s{0,40}(?:end\b|\}\s*$)/.test(statement.code) && !/^\s/.test(statement.code)) {
      this.#inside = undefined;
      return;
    }
    const definition = this.#functions.get(this.#inside);
    if (definition === undefined) return;
    const isReturned = /^\W{0,40}return\b/.test(statement.code);
    const returned = isReturned
      ? this.#usesOf(statement, []).taints
      : assigned === undefined && this.#dialect.isLastReturned
        ? own.filter(({ source }) => source.type === "network" || source.type === "secret")
        : [];
    definition.returns = unionTaints(definition.returns, isReturned ? unionTaints(own, returned) : returned);
  }

  #flow(statement: OtherStatement, taints: readonly Taint[], sink: Sink): void {
    if (this.#isRecording) this.#recorder.flow(statement, taints, sink);
  }

  #set(name: string, known: Known): void {
    if (this.#inside !== undefined && !this.#known.has(name)) this.#locals.add(name);
    if (this.#known.size < MAX_REMEMBERED || this.#known.has(name)) this.#known.set(name, known);
  }
}

function join(before: Known | undefined, after: Known): Known {
  if (before === undefined) return after;
  return {
    taints: unionTaints(before.taints, after.taints),
    texts: [...new Set([...before.texts, ...after.texts])].slice(0, 8),
    url: before.url ?? after.url,
    isShell: before.isShell === true || after.isShell === true,
  };
}

function hasTwice(code: string, name: string): boolean {
  return code.indexOf(name) !== code.lastIndexOf(name);
}

const HEADER =
  /^[\s}]{0,40}(?:(?:pub|public|private|static|local|async|export|final|override|protected|internal)\s+){0,4}(?:def|defp|func|fn|fun|sub|function)\s+(?:\([^()]{0,80}\)\s*)?(?:self\.|\w{1,40}[.:])?([A-Za-z_]\w{0,80})/;
const SHELL =
  /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k|a)?sh(?:\s+-i\b.*)?$|^(?:cmd|powershell|pwsh)(?:\.exe)?$|^\/bin\/(?:ba)?sh\s/i;
const PATH =
  /^(?![a-z]+:\/\/)(?=.{3,300}$)(?:[~./]|\w:\\)?[^\s"']{0,280}(?:\/|\\|\.(?:sh|rb|pl|py|php|js|exe|bin|bat|ps1|lua|r|jl|jar|so|dll|out|run)$)[^\s"']{0,280}$/i;

interface OtherAssignment {
  readonly names: readonly string[];
  /** Whether what the names held before is gone: not so where it is added to, or where a field of it is set. */
  readonly replaces: boolean;
  /** A variable of the object, in Ruby, which its other methods see. */
  readonly isShared: boolean;
}

/** The names on the left of an assignment, as any of these languages writes one; undefined where there is none. */
function readAssignment(code: string): OtherAssignment | undefined {
  const opened = OPENED.exec(code)
    ?.slice(1)
    .find((name) => name !== undefined);
  if (opened !== undefined) return { names: [opened], isShared: false, replaces: true };
  const [, left, sign] = ASSIGNMENT.exec(code) ?? [];
  if (left === undefined || sign === undefined) return undefined;
  const names = left
    .split(",")
    .map((part) => /[A-Za-z_]\w*/.exec(part)?.[0] ?? "_")
    .filter((name) => !OUTSIDE.has(name));
  const isField = /^[$@%*&]?\w+(?:\.|->|::|\[|\{)/.test(left);
  const isShared = left.startsWith("@");
  return { names, isShared, replaces: !isField && (sign === "=" || sign === ":=" || sign === "<-") };
}

/** No one's, and those that the language itself fills. */
const OUTSIDE: ReadonlySet<string> = wordSet("_ ENV _ENV _SERVER STDIN STDOUT ARGV INC");

/** `open(my $file, …)` of Perl, `set name to …` of AppleScript. */
const OPENED =
  /^\s{0,40}open\s{0,4}\(?\s{0,4}(?:my\s{1,4})?\$(\w{1,80})\s{0,4},|^\s{0,40}set\s{1,4}(\w{1,80})\s{1,4}to\s/;

const ASSIGNMENT =
  /^[\s}({]{0,40}(?:(?:my|our|local|var|let|const|val|auto|final|mut|global|static|set|if|String|byte\[\]|[A-Z][\w.<>[\]]{1,60})\s{1,4}){0,4}\(?([$@%*&]?[A-Za-z_]\w{0,80}(?:(?:\.|->|::)\w{1,80}|(?:->)?(?:\[[^\]]{0,80}\]|\{[^}]{0,80}\}))?(?:\s{0,4}:\s{0,4}[\w<>[\]?.]{1,60})?(?:\s{0,4},\s{0,4}[$@%*&]?[A-Za-z_]\w{0,80}){0,4})\s{0,4}\)?\s{0,8}(=|:=|<-|\+=|\.=|<<|\|\|=|\?=)(?![=~>])/;
