import { createPause, inSlices } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { samplesOf } from "../learned/learned-effect.ts";
import type { SelectableSkill } from "../selectable-skill.ts";
import type { SelectorOptions } from "../selector.ts";
import { describeSkill, documentKey } from "../text/describe-skill.ts";
import type { SkillDocument } from "../text/split-clauses.ts";
import { IndexBuilder } from "./index-builder.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import { createIndex, type SkillIndex, type StoredIndex } from "./skill-index.ts";

// An index of 100,000 skills has 300 MB: it is not rewritten for a few new skills, which are read again each
// time, nor while most of it is in use.
const MIN_NEW_SHARE = 0.01;
const MAX_DEAD_SHARE = 0.25;

type IndexOptions = Pick<SelectorOptions, "readBody" | "cacheFile" | "signal" | "learned">;

export interface OpenedIndex {
  readonly index: SkillIndex;
  /** The skills with the bytes and the name that a document key stands for. */
  readonly skillsOf: (key: string) => readonly SelectableSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

export async function openIndex(
  skills: readonly SelectableSkill[],
  options: IndexOptions,
): Promise<OpenedIndex> {
  const { cacheFile, signal } = options;
  const pause = createPause(signal);
  const byKey = new Map<string, SelectableSkill[]>();
  for (const skill of skills) {
    const key = documentKey(skill, samplesOf(skill, options.learned));
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [skill]);
    else same.push(skill);
    if (byKey.size % 64 === 0) await pause(); // Awaiting costs more than the rest of the loop.
  }
  const diagnostics: Diagnostic[] = [];
  const onDamage = (): unknown => diagnostics.push(describeDamage(cacheFile ?? ""));
  const kept = cacheFile === undefined ? undefined : readIndexFile(cacheFile, onDamage);
  await pause();
  const stored = await bringUpToDate(kept, byKey, options);
  return { index: createIndex(stored), skillsOf: (key) => byKey.get(key) ?? [], diagnostics };
}

async function bringUpToDate(
  kept: StoredIndex | undefined,
  skillsOf: ReadonlyMap<string, readonly SelectableSkill[]>,
  { cacheFile, ...options }: IndexOptions,
): Promise<StoredIndex> {
  const known = new Set(kept?.keys);
  const missing = Array.from(skillsOf).flatMap(([key, [skill]]) => (known.has(key) ? [] : (skill ?? [])));
  const dead = kept?.keys.filter((key) => !skillsOf.has(key)).length ?? 0;
  if (kept !== undefined && missing.length === 0 && dead === 0) return kept;
  const builder = new IndexBuilder();
  if (kept !== undefined) await inSlices(builder.keep(kept, (key) => skillsOf.has(key)));
  // Skills whose bodies could not be read are not cached, so that they are read again next time.
  const headersOnly: SkillDocument[] = [];
  const pause = createPause(options.signal);
  for (const skill of missing) {
    await pause();
    options.signal?.throwIfAborted();
    const read = options.readBody?.(skill);
    // Awaiting a body that is already there would cost more than reading it.
    const body = read instanceof Promise ? await read : read;
    const document = describeSkill(skill, body ?? "", samplesOf(skill, options.learned));
    if (options.readBody !== undefined && body === undefined) headersOnly.push(document);
    else builder.add(document);
  }
  const fresh = missing.length - headersOnly.length;
  const isWorthWriting =
    (fresh > 0 && fresh >= skillsOf.size * MIN_NEW_SHARE) || dead > known.size * MAX_DEAD_SHARE;
  const index = await inSlices(builder.build());
  if (cacheFile !== undefined && isWorthWriting) await writeIndexFile(cacheFile, index);
  if (headersOnly.length === 0) return index;
  for (const document of headersOnly) builder.add(document);
  return inSlices(builder.build());
}

function describeDamage(file: string): Diagnostic {
  return {
    code: "selection-cache-damaged",
    severity: "warning",
    message: `The index of skills in ${file} was damaged; it was built again from the skills.`,
    file,
    hint: "Nothing is lost. If it happens again, check the disk.",
  };
}
