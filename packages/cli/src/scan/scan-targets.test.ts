import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalSource } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import * as scanning from "../bundles/scanning.ts";
import type { SkillFile } from "../validate/find-skill-files.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";
import { type ScannedTarget, scanTargets } from "./scan-targets.ts";

function targets(...names: readonly string[]): readonly SkillFile[] {
  const root = mkdtempSync(join(tmpdir(), "skillet-targets-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return names.map((name) => {
    mkdirSync(join(root, name));
    writeFileSync(
      join(root, name, "SKILL.md"),
      `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nSay ${name}.\n`,
    );
    const source = new LocalSource(join(root, name));
    const file = join(name, "SKILL.md");
    const place = { source, folder: "", fileName: "SKILL.md", isLink: false };
    return { kind: "skill", path: name, file, ...place, directoryName: name };
  });
}

// A rule that breaks at the skill called "bad", as a fault of the scanner would.
const inputs: ScanInputs = {
  options: {
    packs: [
      {
        analyse: () => ({ facts: [], texts: [] }),
        rules: [
          {
            id: "BROKEN",
            title: "t",
            category: "custom",
            severity: "warn",
            explanation: "e",
            remedy: "r",
            owasp: [],
            find: (_facts, { name }) => {
              if (name === "bad") throw new TypeError("x is not a function");
              return [];
            },
          },
        ],
      },
    ],
  },
  rules: [],
  diagnostics: [],
};

async function all(scan: AsyncIterable<ScannedTarget>): Promise<ScannedTarget[]> {
  const results: ScannedTarget[] = [];
  for await (const result of scan) results.push(result);
  return results;
}

test("a skill at which the scan breaks is told as not analysed, and the others are scanned", async () => {
  const results = await all(
    scanTargets(targets("one", "bad", "two"), { scanning, inputs, onFailure: "go-on" }),
  );
  expect(results.map(({ name, report }) => `${name} ${report.verdict}`)).toEqual([
    "one safe",
    "bad caution",
    "two safe",
  ]);
  expect(results[1]).toMatchObject({
    report: { coverage: [{ file: "SKILL.md", state: "unread" }] },
    diagnostics: [
      {
        code: "skill-not-scanned",
        severity: "error",
        file: "bad",
        message: expect.stringContaining("x is not a function"),
      },
    ],
  });
});

test("a fault of the scanner is thrown where someone looks for it", async () => {
  await expect(all(scanTargets(targets("bad"), { scanning, inputs, onFailure: "throw" }))).rejects.toThrow(
    "not a function",
  );
});

test("a scan that is stopped ends before the next skill", async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const scan = scanTargets(targets("one", "two"), {
    scanning,
    inputs,
    onFailure: "go-on",
    signal: stop.signal,
  });
  await expect(async () => {
    for await (const { name } of scan) {
      seen.push(name);
      stop.abort();
    }
  }).rejects.toThrow("aborted");
  expect(seen).toEqual(["one"]);
});
