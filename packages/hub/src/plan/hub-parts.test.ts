import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LockEntry } from "../lock/lock-entry.ts";
import { installAgain, shellWord } from "./hub-parts.ts";

test.each([
  ["pdf", "pdf"],
  ["acme/tools@pdf", "acme/tools@pdf"],
  ["--force", "./--force"],
  ["x; rm -r y", "'x; rm -r y'"],
])("%j is written as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test("whatever a stranger writes stays one argument, and never becomes an option", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~é\n]{1,30}$/), (text) => {
      const printed = execFileSync("sh", ["-c", `printf '%s.%s' "$#" ${shellWord(text)}`, "sh"], {
        encoding: "utf8",
      });
      expect(printed).toBe(`0.${text.startsWith("-") ? "./" : ""}${text}`);
    }),
    { numRuns: 40 },
  );
});

describe("the command that installs a skill again", () => {
  const again = (entry: Partial<LockEntry>): string =>
    installAgain({ scope: { kind: "project" } } as never, "pdf", {
      source: "acme/tools@forms",
      targets: [],
      ...entry,
    } as LockEntry);

  test("gives it its name, its agents and the way it lay there", () => {
    const targets = [
      { path: "a", how: "link" },
      { path: "b", how: "copy", agent: "codex" },
      { path: "c", how: "copy", agent: "claude-code" },
    ] as const;
    expect(again({ targets, declaredName: "forms" })).toBe(
      "skillet install acme/tools@forms --name pdf --copy --agent codex,claude-code --project",
    );
    expect(again({ linked: true })).toBe("skillet install acme/tools@forms --link --agent none --project");
  });

  test("holds no command of a lock that a stranger wrote", () => {
    const agent = "codex; touch stolen #";
    expect(again({ targets: [{ path: "a", how: "link", agent }] })).toBe(
      "skillet install acme/tools@forms --agent 'codex; touch stolen #' --project",
    );
  });
});
