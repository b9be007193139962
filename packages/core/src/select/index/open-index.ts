import type { Skill } from "../../registry/skill.ts";
import { describeSkill, documentKey } from "../document/describe-skill.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import type { Segment } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import { joinSegments, type SkillIndex } from "./skill-index.ts";

/** Beyond so many pieces, or with more than a quarter of it gone, an index is built anew. */
const MAX_SEGMENTS = 8;
const MAX_DEAD_SHARE = 0.25;

// An index of 100,000 skills has 200 MB: it is not written again for a handful, which are read again instead.
const MIN_NEW_SHARE = 0.01;

/** An index and which skills its documents stand for. */
export interface OpenedIndex {
  readonly index: SkillIndex;
  /** By key of a document: the skills with these very bytes and this name. */
  readonly skillsOf: ReadonlyMap<string, readonly Skill[]>;
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
  const kept = cacheFile === undefined ? [] : keepable(readIndexFile(cacheFile) ?? [], skillsOf);
  const known = new Set(kept.flatMap(({ keys }) => keys));
  const missing = Array.from(skillsOf)
    .filter(([key]) => !known.has(key))
    .flatMap(([, [skill]]) => skill ?? []);
  const built = await buildSegments(missing, options);
  const segments = [...kept, ...built];
  if (cacheFile !== undefined && missing.length > 0 && missing.length >= skillsOf.size * MIN_NEW_SHARE)
    await writeIndexFile(cacheFile, segments);
  return { index: joinSegments(segments, (key) => skillsOf.has(key)), skillsOf };
}

function keepable(segments: readonly Segment[], skillsOf: ReadonlyMap<string, unknown>): readonly Segment[] {
  if (segments.length >= MAX_SEGMENTS) return [];
  const keys = segments.flatMap((segment) => segment.keys);
  const dead = keys.filter((key) => !skillsOf.has(key)).length;
  return dead > keys.length * MAX_DEAD_SHARE ? [] : segments;
}

async function buildSegments(
  skills: readonly Skill[],
  options: {
    readonly readBody?: (skill: Skill) => Promise<string | undefined> | string | undefined;
    readonly signal?: AbortSignal;
  },
): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  let builder = new SegmentBuilder();
  for (const skill of skills) {
    options.signal?.throwIfAborted();
    const read = options.readBody?.(skill);
    // Waiting for what is there already would cost more than reading it.
    const body = read instanceof Promise ? await read : read;
    builder.add(describeSkill(skill, body ?? ""));
    if (builder.isFull) {
      segments.push(builder.build());
      builder = new SegmentBuilder();
    }
  }
  if (builder.size > 0) segments.push(builder.build());
  return segments;
}
