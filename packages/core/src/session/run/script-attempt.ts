import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { showLine, showName } from "@skillet/kit/text";
import type { Resource, ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { TreeFile } from "../../registry/tree-file.ts";
import { placeOf, type RecordedError, type ScriptExecutionRecord } from "../records/session-record.ts";
import type {
  ExecutedScript,
  ScriptOutcome,
  ScriptRefusal,
  ScriptRun,
  ScriptTarget,
} from "../script-runner.ts";

export type RanScript = ScriptOutcome & Pick<ExecutedScript, "runtime" | "target" | "digest" | "treeDigest">;

export class ScriptAttempt {
  readonly #name: string;
  readonly #tool: string | undefined;
  readonly #redact: (text: string) => string;
  path: string;
  args: readonly string[] | undefined;
  skill: Skill | undefined;
  target: ScriptTarget | undefined;
  indexed: Resource | undefined;
  resourcePath: string | undefined;
  treeDigest: Digest | undefined;
  tree: VerifiedTree | undefined;
  runtime: string | undefined;

  /** @param redact Takes secrets out of what is recorded. */
  constructor(
    asked: { readonly name: unknown; readonly path: unknown; readonly tool: string | undefined },
    redact: (text: string) => string,
  ) {
    this.#name = textOf(asked.name);
    this.#tool = asked.tool;
    this.path = textOf(asked.path);
    this.#redact = redact;
  }

  toRun(result: RanScript | ScriptRefusal): ScriptRun {
    const asked = {
      type: "skillet.run-skill-script-output",
      skill: this.skill?.qualifiedName ?? this.#name,
      path: this.path,
    } as const;
    // Runners and sources write refusals too, and put names of files into them.
    return result.status === "refused"
      ? { ...asked, ...result, message: showLine(result.message) }
      : { ...asked, ...result };
  }

  /** What is recorded: never what the script wrote. */
  toRecord(result: ScriptOutcome | ScriptRefusal | RecordedError): ScriptExecutionRecord {
    const known = this.#describe();
    if (!("sandbox" in result)) {
      const { code, message } = result;
      const error = { code, message: showLine(this.#redact(message)) };
      return { ...known, status: "error", diagnostics: [], error };
    }
    const { status, exitCode, durationMs } = result;
    const { signal, truncated, sandbox, grants, limit, argv, cwd, diagnostics } = result;
    return {
      ...known,
      status: "executed",
      outcome: status,
      argv: argv.map((text) => this.#redact(text)),
      cwd,
      // What another's runner gives must not cost the record.
      ...(Number.isSafeInteger(exitCode) && { exitCode: exitCode as number }),
      ...(signal !== undefined && { signal }),
      timedOut: status === "timed-out",
      cancelled: status === "cancelled",
      truncated,
      ...(limit !== undefined && { limit }),
      sandbox,
      ...(grants !== undefined && { grants }),
      ...(durationMs >= 0 && Number.isFinite(durationMs) && { durationMs: Math.round(durationMs) }),
      diagnostics,
    };
  }

  #describe(): Omit<ScriptExecutionRecord, "status" | "diagnostics"> {
    const { skill, path, args, target, runtime, indexed, resourcePath, treeDigest } = this;
    const observed = this.tree?.observed;
    return {
      kind: "script-execution",
      skillName: skill?.qualifiedName ?? this.#name,
      path,
      ...(this.#tool !== undefined && { tool: this.#tool }),
      ...(skill !== undefined && placeOf(skill)),
      ...(args !== undefined && { args: args.map((text) => this.#redact(text)) }),
      ...(target !== undefined && { executionTarget: target }),
      ...(runtime !== undefined && { runtime }),
      ...(resourcePath !== undefined && { resourcePath }),
      ...(treeDigest !== undefined && { treeDigest }),
      ...(indexed !== undefined && { registryDigest: indexed.digest, registrySizeBytes: indexed.size }),
      ...(indexed !== undefined &&
        observed !== undefined && {
          observedDigest: observed.digest,
          observedSizeBytes: observed.size,
          digestMatchesRegistry: observed.digest === indexed.digest && observed.size === indexed.size,
        }),
    };
  }
}

// What a model passes can be an object that makes no text of itself.
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

interface VerifiedTreeParts {
  readonly index: ResourceIndex & { readonly treeDigest: Digest };
  /** The name of its SKILL.md, which no index lists. */
  readonly skillFile: string;
  readonly entry: string;
  /** The files as they are now, in byte order of path. */
  read(): AsyncIterable<TreeFile>;
}

/** The files of a skill, each compared with the index before it is given: what passes is what was frozen. */
export class VerifiedTree implements AsyncIterable<TreeFile> {
  readonly #parts: VerifiedTreeParts;
  readonly #expected: readonly Resource[];
  /** The first difference that was found, for people. */
  difference: string | undefined;
  /** Whether all files passed, and none was missing. */
  isWhole = false;
  /** The script as it is now, once it was read. */
  observed: { readonly digest: Digest; readonly size: number } | undefined;

  constructor(parts: VerifiedTreeParts) {
    this.#parts = parts;
    this.#expected = [...parts.index.resources].sort(byPath);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TreeFile, void, undefined> {
    const { index, skillFile, entry } = this.#parts;
    const entries: TreeEntry[] = [];
    let next = 0;
    for await (const file of this.#read()) {
      const { path, mode, bytes } = file;
      const now: TreeEntry = { path, mode, digest: digestBytes(bytes), size: bytes.length };
      if (path === entry) this.observed = { digest: now.digest, size: now.size };
      if (path === skillFile) this.#checkSkillFile(now);
      else this.#checkResource(now, this.#expected[next++]);
      entries.push(now);
      yield file;
    }
    const missing = this.#expected[next];
    if (missing !== undefined) throw this.#differs(missing.path, "is gone");
    // Everything else is the same by now; what is left is the mode of SKILL.md, or the text of a link in its place.
    if (digestTree(entries) !== index.treeDigest) throw this.#differs(skillFile, "has changed");
    this.isWhole = true;
  }

  /** Compares what nobody read so far. */
  async verify(): Promise<void> {
    if (this.isWhole) return;
    for await (const _file of this);
  }

  async *#read(): AsyncGenerator<TreeFile, void, undefined> {
    try {
      yield* this.#parts.read();
    } catch (error) {
      // It was read whole when it was frozen.
      if (SkilletError.isInstance(error)) throw this.#differs(undefined, error.message);
      throw error;
    }
  }

  #checkSkillFile({ path, mode, digest }: TreeEntry): void {
    const { skillDigest } = this.#parts.index;
    if (skillDigest !== undefined && (mode === "120000" || digest !== skillDigest))
      throw this.#differs(path, "has changed");
  }

  #checkResource(now: TreeEntry, frozen: Resource | undefined): void {
    const order = frozen === undefined ? -1 : compareByteOrder(now.path, frozen.path);
    if (frozen !== undefined && order > 0) throw this.#differs(frozen.path, "is gone");
    if (frozen === undefined || order < 0) throw this.#differs(now.path, "was added");
    const isSame = now.digest === frozen.digest && now.size === frozen.size && now.mode === modeOf(frozen);
    if (!isSame) throw this.#differs(now.path, "has changed");
  }

  #differs(path: string | undefined, what: string): SkilletError {
    this.difference ??= path === undefined ? what : `${showName(path)} ${what}`;
    return new SkilletError(
      "script-snapshot-mismatch",
      `The skill is not what it was when it was loaded: ${this.difference}. Load it again, then look at the change.`,
      { data: { difference: this.difference, ...(path !== undefined && { path }) } },
    );
  }
}

// An index says of every file that may be run whether it is executable; the others are not.
function modeOf({ contentKind, script }: Resource): TreeEntry["mode"] {
  if (contentKind === "link") return "120000";
  return script?.executable === true ? "755" : "644";
}

function byPath(left: Resource, right: Resource): number {
  return compareByteOrder(left.path, right.path);
}
