import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openSkills, type Skill } from "@skillet/core";
import { createCatalog } from "@skillet/core/internal";
import { describe, expect, test } from "vitest";
import { parseSkill } from "../packages/core/src/format/parse-skill.ts";

const LAST_PARAGRAPH = /\n\*\*Done when:\*\* [^\n]+(?:\n[^\n]+)*\n*$/;

const root = fileURLToPath(new URL("../skills/", import.meta.url));
const names = [
  "ask-for-help",
  "backport-fix",
  "careful-loop",
  "create-skill",
  "debug-failing-test",
  "free-disk-space",
  "gh",
  "hello-world",
  "profile-table",
  "record-facts",
  "review-change",
  "skill-doctor",
  "skillify",
  "survey-code",
  "tidy-commits",
  "verify-claims",
  "write-changelog",
];

test("exactly the seventeen bundled skills are there", () => {
  expect(readdirSync(root).sort()).toEqual(names);
});

describe.each(names)("%s", (name) => {
  const folder = join(root, name);
  const text = readFileSync(join(folder, "SKILL.md"), "utf8");
  const { fields, metadata, body } = readSimpleHeader(text);

  test("the strict parser has nothing to say about it", () => {
    const { manifest, diagnostics } = parseSkill(text, { mode: "strict", directoryName: name });
    expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(manifest).toMatchObject({
      name,
      description: fields.get("description"),
      license: "MIT",
      version: "1.0.0",
      tags: metadata.get("tags")?.split(" "),
      gating: { bins: metadata.get("requires")?.split(" ") ?? [] },
      tools: { allowed: rulesOf(fields) },
    });
  });

  test("only standard fields are used, each in its portable form, and a sub-agent is asked for where one helps", () => {
    const standard = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    const others = [...fields].filter(([key]) => !standard.includes(key));
    // What reads a lot and returns a page belongs into a context of its own. There is no standard field for it; clients
    // that do not know this one carry the skill out where they are, which gives the same page.
    expect(others).toEqual(name === "survey-code" ? [["context", "fork"]] : []);
    expect([fields.get("name"), fields.get("license")]).toEqual([name, "MIT"]);
    expect((fields.get("compatibility") ?? "").length).toBeLessThanOrEqual(500);
    expect(metadata.get("version")).toMatch(/^"\d+\.\d+\.\d+"$/);
    expect(metadata.get("tags")).toMatch(/^\S+( \S+)+$/);
    expect([...metadata.keys()].filter((key) => !["version", "tags", "requires"].includes(key))).toEqual([]);
  });

  test("the description says what, when and what not, in 150 to 600 characters", () => {
    const description = fields.get("description") ?? "";
    expect(description.length).toBeGreaterThanOrEqual(150);
    expect(description.length).toBeLessThanOrEqual(600);
    expect(description).toMatch(/\bUse when\b.*\b[Nn]ot for\b/);
    expect(description).not.toMatch(/[<>]|: | #/);
  });

  test("no tool is allowed as a whole that could do anything", () => {
    const rules = rulesOf(fields);
    expect(rules.join(" ")).toBe(fields.get("allowed-tools") ?? "");
    // These go along with whatever is being done, so they narrow nothing.
    expect(rules.length === 0).toBe(["ask-for-help", "careful-loop", "verify-claims"].includes(name));
    expect(
      rules.filter((rule) => /^Bash$|^Bash\((\*|git:\*|gh:\*|bash:\*|sh:\*|node:\*)\)$/.test(rule)),
    ).toEqual([]);
  });

  test("the body has 60 to 200 lines and no placeholder that a host would replace", () => {
    const lines = body.trim().split("\n").length;
    expect(lines).toBeGreaterThanOrEqual(60);
    expect(lines).toBeLessThanOrEqual(200);
    expect(body).not.toMatch(/\$\d|\$ARGUMENTS|\$\{CLAUDE_|(^|\s)!`/m);
  });

  test("every numbered step ends with how one knows that it is done", () => {
    const sections = body.replaceAll(/^```[\s\S]*?^```$/gm, "").split(/^(?=## )/m);
    const steps = sections.filter((section) => /^## (?:Step )?\d/.test(section));
    expect(steps.length).toBeGreaterThanOrEqual(4);
    for (const step of steps) {
      expect(step.match(/\*\*Done when:\*\*/g) ?? [], step).toHaveLength(1);
      expect(step).toMatch(LAST_PARAGRAPH);
    }
  });

  test("every file it mentions exists, and every file it has is mentioned", () => {
    const mentioned = new Set(body.match(/\b(?:scripts|references|assets)\/[\w.-]*\w/g) ?? []);
    // The selector learns from the trigger set; a model has no use for it.
    const present = filesOf(folder).filter((path) => path !== "SKILL.md" && path !== "evals/triggers.jsonl");
    // Of the modules of a script, the folder is mentioned.
    const places = new Set(present.map((path) => path.split("/").slice(0, 2).join("/")));
    expect([...mentioned].sort()).toEqual([...places].sort());
  });

  test("files are plain, one level deep but for modules of scripts, and speak of no machine", () => {
    for (const path of filesOf(folder)) {
      expect(path.split("/").length).toBeLessThanOrEqual(isModule(path) ? 3 : 2);
      expect(lstatSync(join(folder, path)).isFile()).toBe(true);
      expect(readFileSync(join(folder, path), "utf8")).not.toMatch(/\/(?:root|home|Users|work)\/|\r/);
    }
  });

  const scripts = filesOf(folder).filter((path) => path.startsWith("scripts/") && !isModule(path));
  test.runIf(scripts.length > 0).each(scripts)(
    "%s is executable, explains itself and refuses unknown options",
    (path) => {
      const script = join(folder, path);
      const source = readFileSync(script, "utf8");
      expect(lstatSync(script).mode & 0o777).toBe(0o755);
      expect(source).toMatch(/^#!\/usr\/bin\/env (bash|node|python3)\n/);
      const help = spawnSync(script, ["--help"], { encoding: "utf8" });
      expect([help.status, help.stderr]).toEqual([0, ""]);
      expect(help.stdout).toMatch(/^Usage: [\s\S]*\nExit status: /);
      expect(spawnSync(script, ["--no-such-option"], { encoding: "utf8" })).toMatchObject({
        status: 2,
        stdout: "",
      });
      if (path.endsWith(".sh")) {
        expect(source).toContain("\nset -euo pipefail\n");
        // What is sourced lies beside the script, in the same skill.
        expect(source.replaceAll(/^source "\$here\/lib\/[a-z-]+\.sh"$/gm, "")).not.toMatch(
          /\beval\b|^\s*(source|\.) /m,
        );
        expect(spawnSync("bash", ["-n", script], { encoding: "utf8" })).toMatchObject({
          status: 0,
          stderr: "",
        });
      }
    },
  );

  const modules = filesOf(folder).filter(isModule);
  test.runIf(modules.length > 0).each(modules)("%s is a module, which nobody starts", (path) => {
    const source = readFileSync(join(folder, path), "utf8");
    expect(lstatSync(join(folder, path)).mode & 0o777).toBe(0o644);
    expect(source).toMatch(path.endsWith(".py") ? /^"""\S/ : /^# \S.*Sourced, not run\.\n/);
    expect(source).not.toMatch(/\beval\b|\bexec\(|^#!/m);
  });
});

test("a catalogue within the usual budget tells of all of them, uncut", async () => {
  const skills = await openSkills({ roots: [root], bundledDirectory: false, cacheDirectory: false });
  // Whether gh is installed here must not matter.
  const all = skills
    .list({ includeUnavailable: true })
    .map((skill) => Object.create(skill, { state: { value: "enabled" } }) as Skill);
  const { report } = createCatalog(all);
  expect(report).toMatchObject({ total: names.length, shown: names.length, shortened: 0, cut: 0 });
});

test("commands that a skill requires are used by it", () => {
  for (const name of names) {
    const { metadata, body } = readSimpleHeader(readFileSync(join(root, name, "SKILL.md"), "utf8"));
    for (const command of metadata.get("requires")?.split(" ") ?? []) expect(body).toContain(`${command} `);
  }
});

function rulesOf(fields: ReadonlyMap<string, string>): readonly string[] {
  return (fields.get("allowed-tools") ?? "").match(/[A-Za-z]+(\([^()]*\))?/g) ?? [];
}

/** Reads the plain `key: value` form that the bundled skills keep to, on purpose not with a YAML library. */
function readSimpleHeader(text: string): {
  fields: Map<string, string>;
  metadata: Map<string, string>;
  body: string;
} {
  const [, header, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const fields = new Map<string, string>();
  const metadata = new Map<string, string>();
  for (const line of header?.split("\n") ?? []) {
    const [, indent, key, value] = /^( {2})?([a-z-]+):(?: (\S.*))?$/.exec(line) ?? [];
    if (key === undefined) throw new Error(`not in the plain form: ${line}`);
    const target = indent === undefined ? fields : metadata;
    if (target.has(key)) throw new Error(`given twice: ${key}`);
    target.set(key, value ?? "");
  }
  return { fields, metadata, body: body ?? "" };
}

function isModule(path: string): boolean {
  return path.startsWith("scripts/") && path.split("/").length > 2;
}

function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}
