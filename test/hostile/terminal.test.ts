import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace, type Place } from "./place.ts";

// Clears the screen, sets the title, colours, hides, and turns the direction of writing; with and without an escape.
const EVIL = "e\x1b[2J\x1b]0;owned\x07\x1b[8m\u009b2J\u202e\u2066\u200b\x7f";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069]/;

/** The same text in a YAML or JSON string, with nothing but printable characters. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function writeHostile(place: Place, root: string): void {
  const skill = [
    "---",
    `name: ${quoted(`evil${EVIL}`)}`,
    `description: ${quoted(`Nice.${EVIL}\n✓ forged\r\n`)}`,
    `${quoted(`key${EVIL}`)}: 1`,
    "metadata:",
    `  requires: {bins: [${quoted(`tool${EVIL}`)}], env: [${quoted(EVIL)}], skills: [${quoted(EVIL)}]}`,
    `required-credential-files: [${quoted(EVIL)}]`,
    `allowed-tools: [${quoted(EVIL)}]`,
    "---",
    `Body ${EVIL} costs $5`,
  ].join("\n");
  const folder = `${root}/folder${EVIL}`;
  place.write(`${folder}/SKILL.md`, skill);
  place.write(`${folder}/scripts/run${EVIL}.sh`, `#!/bin/sh ${EVIL}\n`);
  place.write(`${folder}/agents/openai.yaml`, `interface:\n  icon_small: ${quoted(EVIL)}\n`);
  place.write(`${root}/broken${EVIL}/SKILL.md`, `---\nname: x\n${EVIL}: [\n---\n`);
  place.write(`${root}/bytes${EVIL}/SKILL.md`, new Uint8Array([0xff, 0x1b, 0x5b]));
  place.write(`${root}/kit${EVIL}/.claude-plugin/plugin.json`, `{"name": ${EVIL}`);
  place.write(`${root}/named${EVIL}/.claude-plugin/plugin.json`, `{"name": ${quoted(EVIL)}}`);
  place.write(`${root}/odd${EVIL}/Skill.md`, "x");
  place.write(`${root}/.gitignore`, "hidden*\n");
  place.write(`${root}/hidden${EVIL}/SKILL.md`, skillText("hidden"));
  place.link(`${root}/broken-link${EVIL}`, `/nowhere${EVIL}`);
  place.link(`${root}/outside${EVIL}`, "/etc");
  mkdirSync(join(place.root, `${root}/pipe${EVIL}`));
  execFileSync("mkfifo", [join(place.root, `${root}/pipe${EVIL}/SKILL.md`)]);
}

const LOOKING: readonly (readonly string[])[] = [
  ["show", "--long"],
  ["show", "--json"],
  ["explain", `evil${EVIL}`],
  ["explain", `evil${EVIL}`, "--json"],
  ["explain", `broken${EVIL}`],
  ["explain", `unknown${EVIL}`],
  ["catalog"],
  ["catalog", "--format", "json"],
  ["catalog", "--report"],
  ["activate", `evil${EVIL}`, "--json"],
  ["activate", `unknown${EVIL}`],
  ["read", `evil${EVIL}`, `x${EVIL}`],
  ["check-tool", `evil${EVIL}`, "Bash", `rm ${EVIL}`],
  ["records", `nowhere${EVIL}`],
  ["doctor"],
  ["doctor", "--json"],
  ["validate", ".claude"],
  ["validate", ".claude", "--fix", "--dry-run"],
  ["validate", "--ref-compat", `.claude/skills/folder${EVIL}`],
  ["config", "list"],
  ["config", "get", `key${EVIL}`],
  ["show", "--workspace", `/nowhere${EVIL}`],
  [`command${EVIL}`],
];
const CHANGING: readonly (readonly string[])[] = [
  ["disable", `evil${EVIL}`],
  ["trust", "--yes"],
  ["trust", "--list"],
];

function createHostile(): Place {
  const place = createPlace();
  writeHostile(place, "home/.skillet/skills");
  writeHostile(place, "project/.claude/skills");
  place.write(`project/.claude/commands/run${EVIL}.md`, `Do it. ${EVIL}`);
  return place;
}

describe("a skill's text, a folder's name, a link's target and a caller's words", () => {
  test("reach the terminal as visible marks alone, whichever command shows them", async () => {
    const place = createHostile();
    const show = async (args: readonly string[]): Promise<{ command: string; text: string }> => {
      const { stdout, stderr } = await place.skillet(args);
      return { command: args.map((word) => quoted(word)).join(" "), text: stdout + stderr };
    };
    const outputs = await Promise.all(LOOKING.map(show));
    for (const args of CHANGING) outputs.push(await show(args));
    expect(outputs.filter(({ text }) => text === "" || CONTROL.test(text))).toEqual([]);
    expect(outputs.filter(({ text }) => /^\s*✓ forged/m.test(text))).toEqual([]);
  });

  test("bring no colour codes but ours where colours are on", async () => {
    const { stdout } = await createHostile().skillet(["show", "--long"], {
      environment: { FORCE_COLOR: "1" },
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own codes are taken out first
    const rest = stdout.replaceAll(/\x1b\[(?:1|2|22|3[1-6]|39)m/g, "");
    expect(rest).toContain("evil");
    expect(rest).not.toMatch(CONTROL);
  });
});

test("a trust store that cannot be read is quoted without its control characters", async () => {
  const place = createPlace();
  place.write("home/.skillet/trust.json", `{"version":2,"folders":{${quoted(`relative${EVIL}`)}:1}}`);
  for (const args of [["show"], ["doctor"], ["show", "--json"]]) {
    const { stdout, stderr } = await place.skillet(args);
    expect(stdout + stderr).toContain("relative");
    expect(stdout + stderr).not.toMatch(CONTROL);
  }
});
