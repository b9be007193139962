import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

const FOLDER = "home/.skillet/skills/pdf";

function library(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write(`${FOLDER}/SKILL.md`, skillText("pdf"));
  sandbox.write(`${FOLDER}/references/fields.md`, "Größe: 💡💡\n");
  sandbox.write(`${FOLDER}/assets/logo.png`, new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]));
  return sandbox;
}

describe("read", () => {
  test("prints the file, byte for byte, and nothing else", async () => {
    const sandbox = library();
    expect(await sandbox.skillet(["read", "pdf", "references/fields.md"])).toEqual({
      exitCode: 0,
      stdout: "Größe: 💡💡\n",
      stderr: "",
    });
    const odd = "\ufeffno line break\x1b[2J\r\n\tat the end";
    sandbox.write(`${FOLDER}/odd.txt`, odd);
    expect((await sandbox.skillet(["read", "pdf", "odd.txt"])).stdout).toBe(odd);
  });

  test("the document is what a session gives", async () => {
    const sandbox = library();
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect((await sandbox.json(["read", "pdf", "./references//fields.md"])).document).toEqual({
      schemaVersion: 1,
      type: "skillet.read-skill-resource-output",
      skill: "pdf",
      path: "references/fields.md",
      status: "read",
      kind: "reference",
      resourcePath: join(sandbox.root, FOLDER, "references/fields.md"),
      registryDigest: digest,
      observedDigest: digest,
      digestMatchesRegistry: true,
      registrySizeBytes: 18,
      observedSizeBytes: 18,
      contentKind: "text",
      maxBytes: 64_000,
      truncated: false,
      content: "Größe: 💡💡\n",
      diagnostics: [],
    });
  });

  test("a cut splits no character and is said to be one", async () => {
    expect(await library().skillet(["read", "pdf", "references/fields.md", "--max-bytes", "14"])).toEqual({
      exitCode: 0,
      stdout: "Größe: 💡",
      stderr: "Cut after 13 of 18 bytes; --max-bytes can be up to 256000.\n",
    });
  });

  test("a bound is a whole number up to what a session gives", async () => {
    const sandbox = library();
    const run = (bytes: string) =>
      sandbox.skillet(["read", "pdf", "references/fields.md", "--max-bytes", bytes]);
    expect((await run("256000")).exitCode).toBe(0);
    for (const bytes of ["256001", "1.5", "many"])
      expect(await run(bytes)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("of a binary file, standard error says what it is, and the answer is no", async () => {
    const { exitCode, stdout, stderr } = await library().skillet(["read", "pdf", "assets/logo.png"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(
      /^assets\/logo\.png is binary \(5 B, sha256:[0-9a-f]{64}\) and is not shown; it is at ~\/\.skillet\/skills\/pdf\/assets\/logo\.png\n$/,
    );
    const { exitCode: again, document } = await library().json(["read", "pdf", "assets/logo.png"]);
    expect({ again, status: document.status }).toEqual({ again: 1, status: "binary" });
  });

  test("a skill that only people start has files, too", async () => {
    const sandbox = library();
    const manual = "---\nname: manual\ndescription: For people.\ndisable-model-invocation: true\n---\n";
    sandbox.write("home/.skillet/skills/manual/SKILL.md", manual);
    sandbox.write("home/.skillet/skills/manual/notes.md", "Notes.\n");
    expect((await sandbox.skillet(["read", "manual", "notes.md"])).stdout).toBe("Notes.\n");
  });
});

describe("a refusal has its code, a way on, and exit code 1", () => {
  test.each([
    ["pdf", "../secret", "resource-path-invalid", ""],
    ["pdf", "/etc/passwd", "resource-path-invalid", ""],
    ["pfd", "x.md", "skill-not-found", "  Did you mean pdf?\n"],
    ["pdf", "references/field.md", "resource-not-indexed", "  Did you mean references/fields.md?\n"],
    ["pdf", "nothing-like-it", "resource-not-indexed", "  See its files: skillet explain pdf\n"],
    ["pdf", "SKILL.md", "resource-not-indexed", "  Its instructions: skillet activate pdf\n"],
    ["pdf", "link.md", "resource-not-file", ""],
  ])("%s %s: %s", async (name, path, code, hints) => {
    const sandbox = library();
    symlinkSync("SKILL.md", join(sandbox.root, FOLDER, "link.md"));
    const run = await sandbox.skillet(["read", name, path]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr.startsWith(`error: ${code}: `)).toBe(true);
    expect(run.stderr.slice(run.stderr.indexOf("\n") + 1)).toBe(hints);
    const { exitCode, document } = await sandbox.json(["read", name, path]);
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ status: "error", error: { code } });
  });

  test("a skill that is kept from models is named with the reason", async () => {
    const sandbox = library();
    sandbox.write("home/.skillet/config.yaml", "skills:\n  overrides:\n    pdf: { enabled: false }\n");
    const { exitCode, stderr } = await sandbox.skillet(["read", "pdf", "references/fields.md"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("error: skill-not-found: ");
    expect(stderr).toContain("  That is what a model is told, because it is disabled");
    expect(stderr).toContain("  See: skillet explain pdf\n");
  });
});
