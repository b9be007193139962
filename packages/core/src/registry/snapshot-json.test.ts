import { SkilletError } from "@skillet/kit/errors";
import { beforeAll, describe, expect, it } from "vitest";
import { openSkills } from "../open-skills.ts";
import { MemorySource } from "../source/memory-source.ts";
import { versionOf } from "./snapshot.ts";
import { type SnapshotJson, snapshotFromJson, snapshotToJson } from "./snapshot-json.ts";

const RICH = `---
name: rich
description: Has everything.
license: MIT
tags: [a]
hooks: {a: [b]}
allowed-tools: Read
user-invocable: "yes"
when-to-use: Always.
argument-hint: "[file]"
arguments: [file]
unknown: {a: {b: [c]}}
metadata:
  __proto__: x
  openclaw: {requires: {env: [TOKEN], bins: [no-such-command]}, install: [{kind: brew, formula: x, bins: [y]}]}
---
Body.
`;

const SETTINGS = `interface: {display_name: Rich}
dependencies: {tools: [{type: mcp, value: s, url: "https://x"}]}
`;

let document: SnapshotJson;
beforeAll(async () => {
  const source = new MemorySource({
    "rich/SKILL.md": RICH,
    "rich/agents/openai.yaml": SETTINGS,
    "plain/SKILL.md": "---\nname: plain\ndescription: Plain.\n---\n",
    "broken/SKILL.md": "---\nname: [\n---\n",
  });
  const { snapshot } = await openSkills({ roots: [], sources: [source] });
  document = snapshotToJson(snapshot);
});

const copy = (): SnapshotJson => JSON.parse(JSON.stringify(document)) as SnapshotJson;

/** Every place of a document at which something stands, as a list of keys. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null || FREE.has(path.at(-1) ?? "")) return;
  for (const [key, item] of Object.entries(value)) yield* placesIn(item, [...path, key]);
}

// What stands in these is the author's own.
const FREE: ReadonlySet<string> = new Set(["metadata", "extra", "hooks", "fields"]);

/** A copy of the document in which something else stands at a place. */
function withValue(path: readonly string[], value: unknown): unknown {
  const changed = copy();
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, changed as never);
  parent[path.at(-1) ?? ""] = value;
  return changed;
}

function failureOf(value: unknown): SkilletError | undefined {
  try {
    snapshotFromJson(value);
    return undefined;
  } catch (error) {
    if (SkilletError.isInstance(error)) return error;
    throw error;
  }
}

const dotted = (path: readonly string[]): string => `\`${path.join(".")}\``;

describe("a snapshot as JSON", () => {
  it("comes back as it was, with maps that have no prototype", () => {
    const restored = snapshotFromJson(copy());
    expect(snapshotToJson(restored)).toEqual(document);
    const rich = restored.skills.find(({ name }) => name === "rich");
    expect(rich?.manifest.metadata.toString).toBeUndefined();
    expect(Object.keys(rich?.manifest.metadata ?? {})).toEqual(["__proto__", "openclaw"]);
    expect(rich?.manifest.install[0]?.fields.constructor).toBeUndefined();
  });

  it("is refused with the place of whatever is of another kind", () => {
    const places = [...placesIn(document)].filter(
      (path) => !["type", "schemaVersion"].includes(path[0] ?? ""),
    );
    expect(places.length).toBeGreaterThan(150);
    for (const path of places) {
      // Neither a number below every bound nor a symbol of JSON is right anywhere.
      const isFree = path.at(-1) === "hooks";
      const failure = failureOf(withValue(path, -1.5));
      expect([dotted(path), failure?.code]).toEqual([dotted(path), isFree ? undefined : "snapshot-invalid"]);
      if (failure !== undefined)
        expect(failure.data.problems).toEqual([expect.stringContaining(dotted(path))]);
    }
  });

  it.each<[string, readonly string[], unknown, string]>([
    [
      "a field that is missing",
      ["skills", "0", "manifest", "tools"],
      undefined,
      "`skills.0.manifest` has no `tools`",
    ],
    [
      "a state that does not exist",
      ["skills", "1", "state"],
      "on",
      '`skills.1.state` must be one of enabled, disabled, unavailable, untrusted, shadowed, but is "on"',
    ],
    [
      "a digest that is none",
      ["version"],
      "sha256:12",
      '`version` must be sha256: and 64 hexadecimal digits, but is "sha256:12"',
    ],
    [
      "a list of something else",
      ["skills", "0", "manifest", "tags"],
      ["a", {}],
      "`skills.0.manifest.tags.1` must be text, but is an object",
    ],
    [
      "a line before the first",
      ["diagnostics", "0", "range", "line"],
      0,
      "`diagnostics.0.range.line` must be a whole number from 1 up, but is 0",
    ],
    [
      "metadata without end",
      ["skills", "0", "manifest", "metadata"],
      nested(40),
      "`skills.0.manifest.metadata` must be a value of at most 32 levels, but is an object",
    ],
  ])("with %s says so", (_what, path, value, problem) => {
    const failure = failureOf(withValue(path, value));
    expect(failure?.data.problems).toEqual([problem]);
    expect(failure?.message).toContain(problem);
  });

  it("that is wrong throughout has its first twenty faults named", () => {
    const failure = failureOf({ ...document, skills: Array.from({ length: 100_000 }, () => ({})) });
    expect(failure?.data.problems).toHaveLength(20);
    expect(failure?.message).toMatch(/`skills\.0` has no `name` \(and 19 more like this\)/);
    expect(failure?.message.length).toBeLessThan(300);
  });

  it("is refused when it is none, was changed, or holds a name twice", () => {
    for (const value of [undefined, null, 1, "x", [], {}, { ...document, schemaVersion: 2 }])
      expect(failureOf(value)?.message).toContain("it is not a skillet.snapshot of schema version 1");
    expect(failureOf({ ...document, skills: [] })?.message).toContain("its version does not match");
    const skills = document.skills.flatMap((skill) => [skill, skill]);
    expect(failureOf({ ...document, skills, version: versionOf(skills) })?.message).toContain(
      'two of its skills have the qualified name "plain"',
    );
  });

  it("keeps fields that a later version adds", () => {
    expect(failureOf({ ...copy(), later: 1 })).toBeUndefined();
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}
