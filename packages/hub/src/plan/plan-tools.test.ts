import { chmodSync, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { InstallSpec } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import { hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { planTools, readToolSpec, type SkillWithTools } from "./plan-tools.ts";

const spec = (
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  more: Partial<InstallSpec> = {},
): InstallSpec => ({
  kind,
  bins: ["tool"],
  os: [],
  fields,
  ...more,
});

/** A folder with programs that write down how they were called. */
function programs(...names: readonly string[]): { readonly folder: string; readonly log: string } {
  const folder = temporaryDirectory();
  const log = join(folder, "log");
  for (const name of names) {
    writeFiles(folder, { [name]: `#!/bin/sh\nprintf '%s\\n' "$0" "$@" >> ${log}\nenv >> ${log}\n` });
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, log };
}

const skill = (install: readonly InstallSpec[], bins: readonly string[] = ["tool"]): SkillWithTools => ({
  name: "x",
  manifest: { gating: { bins, anyBins: [] } as never, install },
});

describe("what may be asked of a package manager", () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ["brew", { formula: "poppler" }, ["install", "--formula", "poppler"]],
    ["brew", { formula: "user/tap/tool@2" }, ["install", "--formula", "user/tap/tool@2"]],
    ["brew", { cask: "app" }, ["install", "--cask", "app"]],
    [
      "node",
      { package: "@s/p@1.2.3" },
      ["install", "--global", "--ignore-scripts", "--prefix", "/h/tools/npm", "@s/p@1.2.3"],
    ],
    ["uv", { package: "pdf[ocr]>=1.0,<2" }, ["tool", "install", "pdf[ocr]>=1.0,<2"]],
    ["go", { module: "example.com/a/b@v1.0.0" }, ["install", "example.com/a/b@v1.0.0"]],
  ])("%s %j becomes arguments", (kind, fields, args) => {
    expect(readToolSpec(spec(kind, fields), { home: "/h", skill: "x" })).toMatchObject({ args });
  });

  test.each<[string, Record<string, unknown>]>([
    ["brew", { formula: "--HEAD" }],
    ["brew", { formula: "a;id" }],
    ["brew", { formula: "a/../../b" }],
    ["brew", { formula: "https://evil.example/f.rb" }],
    ["brew", {}],
    ["node", { package: "-g" }],
    ["node", { package: "file:../x" }],
    ["node", { package: "git+https://evil.example/x" }],
    ["node", { package: "p@https://evil.example/x.tgz" }],
    ["node", { package: ["a", "b"] }],
    ["uv", { package: "--index-url=https://evil.example" }],
    ["uv", { package: "x @ https://evil.example/x.whl" }],
    ["go", { module: "example.com/a" }],
    ["go", { module: "-exec=sh@v1" }],
    ["go", { module: "../a@v1" }],
    ["download", { url: "http://example.com/x" }],
    ["download", { url: "file:///etc/passwd" }],
    ["download", { url: "https://u:p@example.com/x" }],
    ["download", { url: "https://example.com/x", sha256: "zz" }],
    ["shell", { command: "curl x | sh" }],
    ["constructor", {}],
  ])("%s %j is refused", (kind, fields) => {
    expect(readToolSpec(spec(kind, fields, { bins: [] }), { home: "/h", skill: "x" })).toHaveProperty(
      "problem",
    );
  });

  test("a download goes below the home, by the name of a command and nothing else", () => {
    const url = "https://example.com/dl/../../../x";
    const read = (bins: readonly string[]) =>
      readToolSpec(spec("download", { url }, { bins }), { home: "/h", skill: "x" });
    expect(read(["tool"])).toMatchObject({ path: "/h/tools/skills/x/tool", unpack: false });
    expect(read(["../../evil"])).toHaveProperty("problem");
  });

  test("a skill that is called like a manager gets no folder of that manager's", () => {
    const places = { home: "/h", skill: "npm" };
    const own = readToolSpec(spec("npm", { package: "prettier" }), places);
    const url = "https://example.com/tool.tar.gz";
    const download = readToolSpec(spec("download", { url }, { bins: ["bin"] }), places);
    expect(own).toMatchObject({ folder: "/h/tools/npm/bin" });
    expect(download).toMatchObject({ path: "/h/tools/skills/npm/bin", unpack: true });
  });
});

describe("a plan", () => {
  test("takes the best manager that is here, for what is missing only", () => {
    const { folder } = programs("uv", "npm", "there");
    const places = { home: "/h", platform: "linux" as const, environment: { PATH: folder } };
    const specs = [
      spec("npm", { package: "tool" }),
      spec("brew", { formula: "tool" }),
      spec("uv", { package: "tool" }),
      spec("uv", { package: "mac-tool" }, { os: ["darwin"] }),
    ];
    expect(planTools([skill(specs)], places).steps).toEqual([
      {
        skill: "x",
        label: "tool",
        bins: ["tool"],
        kind: "uv",
        argv: [join(folder, "uv"), "tool", "install", "tool"],
      },
    ]);
    expect(planTools([skill(specs, ["there"])], places)).toEqual({ steps: [], diagnostics: [] });
  });

  test("says what nothing here can install", () => {
    const places = {
      home: "/h",
      platform: "linux" as const,
      environment: { PATH: ["relative", ""].join(delimiter) },
    };
    const { steps, diagnostics } = planTools(
      [skill([spec("brew", { formula: "tool" }), spec("brew", { formula: "-x" })])],
      places,
    );
    expect(steps).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["tool-spec-invalid", "tool-unplanned"]);
  });
});

describe("running a plan", () => {
  const header = `metadata:\n  openclaw:\n    requires:\n      bins: [tool]\n    install:\n      - kind: uv\n        package: tool\n        bins: [tool]\n`;
  const start = async (choice: string | undefined) => {
    const box = hubSandbox();
    const { folder, log } = programs("uv");
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", "Do it.", header) });
    const environment = { PATH: `${folder}:/usr/bin:/bin`, HOME: box.userHome, GITHUB_TOKEN: "SECRET" };
    const someone = person(choice);
    const hub = await box.open({ environment, ...(choice !== undefined && { ask: someone.ask }) });
    return { hub, log, someone };
  };

  test("happens after a yes alone, and never by planning or installing", async () => {
    for (const choice of [undefined, "no"]) {
      const { hub, log } = await start(choice);
      const install = await hub.planInstall(wanted("./src/x"));
      await hub.apply(install);
      const plan = await hub.planTools({ names: [], plan: install });
      expect(plan).toEqual(await hub.planTools({ names: ["x"] }));
      expect(await hub.runTools(plan)).toMatchObject([{ outcome: "declined" }]);
      expect(existsSync(log)).toBe(false);
    }
    const { hub, log, someone } = await start("yes");
    const plan = await hub.planTools({ names: [], plan: await hub.planInstall(wanted("./src/x")) });
    expect(await hub.runTools(plan)).toMatchObject([{ outcome: "installed" }]);
    expect(someone.asked).toMatchObject([
      { kind: "dependencies", skill: "x", reason: expect.stringContaining("uv tool install tool") },
    ]);
    const said = readFileSync(log, "utf8");
    expect(said).toContain("tool\ninstall\ntool\n");
    expect(said).not.toContain("SECRET");
  });

  test("leaves a record of each tool, and of each that no one wanted", async () => {
    const box = hubSandbox();
    const { folder } = programs("uv");
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", "Do it.", header) });
    const environment = { PATH: `${folder}:/usr/bin:/bin`, HOME: box.userHome };
    const records = () =>
      readFileSync(auditPath(box.home), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    for (const [choice, decision, how] of [
      [undefined, "deny", "no one was asked"],
      ["yes", "allow", "approved"],
    ] as const) {
      const hub = await box.open({ environment, ...(choice && { ask: person(choice).ask }) });
      await hub.runTools(await hub.planTools({ names: [], plan: await hub.planInstall(wanted("./src/x")) }));
      const reason = `${how}: ${join(folder, "uv")} tool install tool`;
      expect(records().at(-1)).toMatchObject({
        action: "tool",
        skill: "x",
        path: hub.lockFile,
        decision,
        reason,
      });
    }
    const hub = await box.open({ environment });
    const plan = await hub.planTools({ names: [], plan: await hub.planInstall(wanted("./src/x")) });
    await hub.runTools(plan, { accepted: true });
    expect(records().at(-1)?.reason).toMatch(/^accepted beforehand: /);
  });

  test("that fails says what the program said", async () => {
    const { hub } = await start("yes");
    const step = {
      skill: "x",
      label: "l",
      bins: ["tool"],
      kind: "uv",
      argv: ["/bin/sh", "-c", "echo no such tool >&2; exit 3"],
    } as const;
    expect(await hub.runTools({ steps: [step], diagnostics: [] }, { accepted: true })).toMatchObject([
      { outcome: "failed", reason: "sh ended with 3. no such tool" },
    ]);
  });

  test("downloads only what has the digest that was told", async () => {
    const box = hubSandbox();
    const hub = await box.open();
    const step = {
      skill: "x",
      label: "l",
      bins: ["tool"],
      kind: "download",
      url: "https://127.0.0.1:1/tool",
      path: join(box.home, "tools/skills/x/tool"),
      unpack: false,
      digest: digestBytes(Buffer.from("x")),
    } as const;
    expect(await hub.runTools({ steps: [step], diagnostics: [] }, { accepted: true })).toMatchObject([
      { outcome: "failed" },
    ]);
    expect(existsSync(step.path)).toBe(false);
  });
});
