import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("..", import.meta.url));

/** The modules that are loaded with one, before anything is called. */
function loadedWith(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, clause = "", to = ""] of text.matchAll(/^(?:import|export) ([^;]*?)from "(\.[^"]+)";/gms))
    if (!clause.startsWith("type ") && !/^\{(?:\s*type [^,}]+,?)+\s*\}\s*$/.test(clause))
      loadedWith(join(dirname(path), to), seen);
  return seen;
}

test("the library loads nothing that ranks skills until somebody asks for it", () => {
  const loaded = [...loadedWith(join(SOURCE, "index.ts"))].map((path) => relative(SOURCE, path));
  expect(loaded).toContain("open-skills.ts");
  expect(loaded).toContain("workspace/load-selection.ts");
  expect(
    loaded.filter((path) => /^select\/(?:create|skill-ranker|index|signal|fuse|reasons)/.test(path)),
  ).toEqual([]);
  const ranking = [...loadedWith(join(SOURCE, "select/create-selector.ts"))].map((path) =>
    relative(SOURCE, path),
  );
  expect(ranking).toContain("select/skill-ranker.ts");
});

test("a registry and its sessions load neither the detector nor the learned file until they are needed", () => {
  const loaded = [...loadedWith(join(SOURCE, "open-skills.ts"))].map((path) => relative(SOURCE, path));
  expect(loaded).toContain("session/outcome/session-outcomes.ts");
  expect(loaded.filter((path) => /^(?:behaviour|select\/learned)\//.test(path))).toEqual([
    "behaviour/load-use-detector.ts",
  ]);
  const detecting = [...loadedWith(join(SOURCE, "behaviour/create-use-detector.ts"))];
  expect(detecting.map((path) => relative(SOURCE, path))).toContain(
    "behaviour/command/read-agent-command.ts",
  );
});
