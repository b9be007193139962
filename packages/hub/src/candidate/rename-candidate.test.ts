import type { TreeFile } from "@skillet/core";
import { expect, test } from "vitest";
import { skillText } from "../testing/hub-sandbox.ts";
import type { Candidate } from "./candidate.ts";
import { candidateOfTree } from "./candidate-of-tree.ts";
import { renameCandidate } from "./rename-candidate.ts";

const candidate = (files: Readonly<Record<string, string>>, kind: Candidate["kind"] = "skill"): Candidate =>
  candidateOfTree(
    Object.entries(files).map(([path, text]): TreeFile => ({ path, mode: "644", bytes: Buffer.from(text) })),
    {
      kind,
      name: "old",
      resolved: { kind: "local", path: "/x" },
      folder: "",
      identity: undefined,
      isProven: true,
    },
  );

test("a new name is written into the manifest, and the same twice gives the same bytes", () => {
  const before = candidate({ "SKILL.md": skillText("old"), "a.txt": "old" });
  const renamed = renameCandidate(before, "new");
  expect(Buffer.from(renamed.files[0]?.bytes ?? []).toString()).toBe(
    skillText("old").replace("name: old", "name: new"),
  );
  expect(renamed.files[1]).toEqual(before.files[1]);
  expect(renamed.digest).not.toBe(before.digest);
  expect(renameCandidate(before, "new").digest).toBe(renamed.digest);
  expect(renameCandidate(before, "old")).toBe(before);
});

test("a plugin is renamed in every manifest that it has", () => {
  const before = candidate(
    {
      ".claude-plugin/plugin.json": '{"name":"old","version":"1"}',
      ".codex-plugin/plugin.json": '{"name":"old"}',
      "skills/a/SKILL.md": skillText("a"),
    },
    "plugin",
  );
  const renamed = renameCandidate(before, "new");
  const manifests = renamed.files.slice(0, 2).map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
  expect(manifests).toEqual([{ name: "new", version: "1" }, { name: "new" }]);
});

test.each(["..", ".", "", "a/b", "a\\b", "-x", ".x", "nul", "x".repeat(65), "a b", "x."])(
  "%j is no name to install by",
  (name) => {
    expect(() => renameCandidate(candidate({ "SKILL.md": skillText("old") }), name)).toThrowError(
      expect.objectContaining({ code: "name-invalid" }),
    );
  },
);
