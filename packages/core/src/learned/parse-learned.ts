import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { present } from "@skillet/kit/json";
import { type Located, locatorOf, plainValue } from "@skillet/kit/located";
import {
  text as anyText,
  array,
  flag,
  lenient,
  matching,
  partial,
  readDocument,
  record,
  scalar,
  wholeNumber,
} from "@skillet/kit/schema";
import type { Learned, LearnedSkill } from "@skillet/select";
import { cleanExample, LEARNED_LIMITS, NOTHING_LEARNED, THRESHOLD_BOUNDS } from "@skillet/select/parts";
import { locateYaml } from "../format/locate-yaml.ts";

export interface ParsedLearned {
  readonly learned: Learned;
  readonly diagnostics: readonly Diagnostic[];
}

/** Faults are reported with their position; everything valid still counts. */
export function parseLearned(text: string, file: string): ParsedLearned {
  const diagnostics: Diagnostic[] = [];
  const tell: Tell = (code, { range, message, hint }) => {
    if (diagnostics.length >= MAX_FAULTS) return;
    const severity = code === "learned-invalid" ? "error" : "warning";
    diagnostics.push({ code, severity, message, hint, file, ...(range && { range }) });
  };
  if (hasTooManyItems(text)) {
    const message = `there are more than ${MAX_ITEMS} lines and items`;
    tell("learned-invalid", { range: { line: 1, column: 1 }, message, hint: TOO_MANY_HINT });
    return { learned: NOTHING_LEARNED, diagnostics };
  }
  const { root, faults } = locateYaml(text);
  for (const fault of faults) tell("learned-invalid", fault);
  // If the YAML is invalid, what was meant can only be guessed.
  const learned = faults.length > 0 ? NOTHING_LEARNED : { skills: readSkills(root, tell) };
  return { learned, diagnostics };
}

// A file that is not a learned file can have as many faults as lines.
const MAX_FAULTS = 50;

type Tell = (
  code: "learned-invalid" | "learned-unknown-key" | "learned-out-of-bounds",
  fault: { readonly range: Range | undefined; readonly message: string; readonly hint: string },
) => void;

/** More than learning ever writes for that many skills; parsing a megabyte of `x,` would take seconds. */
const MAX_ITEMS = LEARNED_LIMITS.skills * 40;
const TOO_MANY_HINT = "remove what learning did not write, or move the file away and learn again";

function hasTooManyItems(text: string): boolean {
  let count = 0;
  for (const line of text.split("\n")) {
    count += 1;
    // Commas inside a quoted message are part of it; all others separate items.
    if (!QUOTED_LINE.test(line)) for (const _ of line.matchAll(/,/g)) count += 1;
    if (count > MAX_ITEMS) return true;
  }
  return false;
}

const QUOTED_LINE = /^ *(?:- |[a-z]+: )"(?:[^"\\]|\\.)*"$/;

type LearnedEntry = { readonly [Key in keyof LearnedSkill]?: LearnedSkill[Key] };

function readSkills(root: Located, tell: Tell): ReadonlyMap<string, LearnedSkill> {
  const skills = new Map<string, LearnedSkill>();
  const locate = locatorOf(root);
  const { value: file, faults: found } = readDocument(learnedFile, plainValue(root), {
    name: "the file",
    format: "yaml",
    // The number of items is bounded already, and everything valid still counts.
    maxFaults: Number.POSITIVE_INFINITY,
  });
  for (const { kind, path, part, message, hint = "" } of found) {
    const range = locate(path, part);
    if (kind === "unknown-key")
      tell("learned-unknown-key", { range, message: `${message}, so it has no effect`, hint });
    else tell("learned-invalid", { range, message, hint });
  }
  if (file?.version !== undefined && file.version !== 1) {
    const message = `version ${file.version} is not known here`;
    tell("learned-invalid", { range: root.range, message, hint: "use a Skillet that knows it" });
    return skills;
  }
  for (const [name, entry] of Object.entries(file?.skills ?? {})) {
    const range = locate(["skills", name], "key");
    const cut = (message: string): void =>
      tell("learned-out-of-bounds", { range, message, hint: "what is beyond the bound has no effect" });
    if (skills.size >= LEARNED_LIMITS.skills) {
      cut(`there are more than ${LEARNED_LIMITS.skills} skills`);
      break;
    }
    if (name.length > LEARNED_LIMITS.nameCharacters) cut("a name of a skill is longer than any skill's");
    else skills.set(name, bound(entry, cut));
  }
  return skills;
}

/** Clamps an entry, so that an edited file cannot go further than learning itself could. */
function bound(entry: LearnedEntry, report: (what: string) => void): LearnedSkill {
  const { lowest, highest } = THRESHOLD_BOUNDS;
  const { threshold = 0, note, origin, digest, keep, generatedFrom } = entry;
  const examples = (key: "wanted" | "unwanted" | "generated", most: number): readonly string[] => {
    const given = entry[key] ?? [];
    const cleaned = new Set(given.flatMap((text) => cleanExample(text) ?? []));
    const used = [...cleaned].slice(0, most);
    if (used.length < given.length || used.some((text, index) => text !== given[index]))
      report(`\`${key}\` has empty, repeated, long or more than ${most} examples`);
    return used;
  };
  if (threshold < lowest || threshold > highest) report(`\`threshold\` is beyond ${lowest} to ${highest}`);
  if (note !== undefined && note.length > LEARNED_LIMITS.noteCharacters) report("`note` is too long");
  return {
    ...present({ origin, digest }),
    used: entry.used ?? 0,
    ignored: entry.ignored ?? 0,
    wrong: entry.wrong ?? 0,
    threshold: Math.min(highest, Math.max(lowest, threshold)),
    wanted: examples("wanted", LEARNED_LIMITS.examples),
    unwanted: examples("unwanted", LEARNED_LIMITS.examples),
    ...(generatedFrom !== undefined && {
      generatedFrom,
      generated: examples("generated", LEARNED_LIMITS.generated),
    }),
    ...present({ note: note?.slice(0, LEARNED_LIMITS.noteCharacters), keep: keep || undefined }),
  };
}

const count = wholeNumber(0, LEARNED_LIMITS.count, { hint: "write a number" });

const digest = matching(
  /^sha256:[0-9a-f]{8,64}$/,
  "the beginning of a digest",
  "write `sha256:` and 8 to 64 of its digits, or leave it out",
);

const entry = partial<LearnedEntry>(
  {
    origin: anyText,
    digest,
    used: count,
    ignored: count,
    wrong: count,
    threshold: scalar(
      "a number",
      (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined),
      "write a number such as 0.5",
    ),
    wanted: array(lenient(anyText)),
    unwanted: array(lenient(anyText)),
    generated: array(lenient(anyText)),
    generatedFrom: digest,
    note: anyText,
    keep: flag,
  },
  { unknown: "report" },
);

const learnedFile = partial<{
  readonly version?: number;
  readonly skills?: Readonly<Record<string, LearnedEntry>>;
}>({ version: count, skills: record(lenient(entry)) }, { unknown: "report" });
