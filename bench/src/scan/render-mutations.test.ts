import { expect, test } from "vitest";
import { type JudgedMutation, renderMutations } from "./render-mutations.ts";

const judged = (disguise: string, verdict: JudgedMutation["verdict"], attack = "pipe"): JudgedMutation => ({
  kind: "shell",
  attack,
  disguise,
  verdict,
  rules: verdict === "safe" ? [] : ["EX1"],
});

test("each kind of attack has a line for each disguise, and everything missed is listed", () => {
  const text = renderMutations([
    judged("", "dangerous"),
    judged("quotes", "dangerous"),
    judged("quotes", "caution", "reverse shell"),
    judged("base64", "safe"),
  ]);
  const lines = text.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, " | "));
  expect(lines.filter((line) => /^shell/.test(line))).toEqual([
    "shell | (plain) | 1 | 1 | 1",
    "shell | quotes | 2 | 1 | 2",
    "shell | base64 | 1 | 0 | 0",
  ]);
  expect(lines.slice(lines.indexOf("Missed at dangerous (2)") + 1)).toEqual([
    "caution | shell | reverse shell, quotes | EX1",
    "safe | shell | pipe, base64 | -",
  ]);
  expect(text).toMatch(/disguised +3 +0\.333 .* 0\.667 /);
});
