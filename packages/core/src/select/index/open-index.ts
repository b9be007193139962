import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Skill } from "../../registry/skill.ts";
import { describeSkill, documentKey } from "../document/describe-skill.ts";
import type { SkillDocument } from "../document/split-clauses.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import { compactSegments } from "./merge-segments.ts";
import type { Segment } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import { joinSegments, type SkillIndex } from "./skill-index.ts";

// An index of 100,000 skills has 200 MB: it is not written again for a handful, which are read again instead.
const MIN_NEW_SHARE = 0.01;

/** An index and which skills its documents stand for. */
export interface OpenedIndex {
  readonly index: SkillIndex;
  /** By key of a document: the skills with these very bytes and this name. */
  readonly skillsOf: ReadonlyMap<string, readonly Skill[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads what is kept, reads the skills that are not in it, and keeps the result. */
export async function openIndex(
  skills: readonly Skill[],
  options: {
    readonly readBody?: (skill: Skill) => Promise<string | undefined> | string | undefined;
    readonly cacheFile?: string;
    readonly signal?: AbortSignal;
  },
): Promise<OpenedIndex> {
  const skillsOf = new Map<string, Skill[]>();
  for (const skill of skills) {
    const key = documentKey(skill);
    const same = skillsOf.get(key);
    if (same === undefined) skillsOf.set(key, [skill]);
    else same.push(skill);
  }
  const { cacheFile } = options;
  const diagnostics: Diagnostic[] = [];
  const onDamaged = (): unknown => diagnostics.push(damaged(cacheFile ?? ""));
  const kept = cacheFile === undefined ? [] : (readIndexFile(cacheFile, onDamaged) ?? []);
  const known = new Set(kept.flatMap(({ keys }) => keys));
  const missing = Array.from(skillsOf)
    .filter(([key]) => !known.has(key))
    .flatMap(([, [skill]]) => skill ?? []);
  const { whole, headersOnly } = await buildSegments(missing, options);
  const all = [...kept, ...whole];
  const segments = compactSegments(all, (key) => skillsOf.has(key));
  const fresh = whole.reduce((sum, { keys }) => sum + keys.length, 0);
  const isWorthIt = fresh > 0 && fresh >= skillsOf.size * MIN_NEW_SHARE;
  if (cacheFile !== undefined && (isWorthIt || segments !== all)) await writeIndexFile(cacheFile, segments);
  const index = joinSegments([...segments, ...headersOnly], (key) => skillsOf.has(key));
  return { index, skillsOf, diagnostics };
}

function damaged(file: string): Diagnostic {
  return {
    code: "selection-cache-damaged",
    severity: "warning",
    message: `The index of skills in ${file} was damaged; it was built again from the skills.`,
    file,
    hint: "Nothing is lost. If it happens again, check the disk.",
  };
}

async function buildSegments(
  skills: readonly Skill[],
  options: {
    readonly readBody?: (skill: Skill) => Promise<string | undefined> | string | undefined;
    readonly signal?: AbortSignal;
  },
): Promise<{
  readonly whole: readonly Segment[];
  /** Of skills whose bodies could not be read; not kept, so that they are read the next time. */
  readonly headersOnly: readonly Segment[];
}> {
  const whole = new SegmentSeries();
  const headersOnly = new SegmentSeries();
  for (const skill of skills) {
    options.signal?.throwIfAborted();
    const read = options.readBody?.(skill);
    // Waiting for what is there already would cost more than reading it.
    const body = read instanceof Promise ? await read : read;
    const isUnread = options.readBody !== undefined && body === undefined;
    (isUnread ? headersOnly : whole).add(describeSkill(skill, body ?? ""));
  }
  return { whole: whole.build(), headersOnly: headersOnly.build() };
}

class SegmentSeries {
  readonly #full: Segment[] = [];
  #builder: SegmentBuilder | undefined;

  add(document: SkillDocument): void {
    this.#builder ??= new SegmentBuilder();
    this.#builder.add(document);
    if (!this.#builder.isFull) return;
    this.#full.push(this.#builder.build());
    this.#builder = undefined;
  }

  build(): readonly Segment[] {
    return this.#builder === undefined ? this.#full : [...this.#full, this.#builder.build()];
  }
}
