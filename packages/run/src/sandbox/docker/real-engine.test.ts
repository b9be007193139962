import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SandboxJob } from "../sandbox.ts";
import { jobFor, removeTemporaryFolders, temporaryFolder } from "../ssh/testing/remote-skill.ts";
import { docker } from "./docker.ts";

// `npm run try:docker`: an image that the engine has, with a shell and the usual tools.
const image = process.env.TRY_DOCKER_IMAGE ?? "";
const sandbox = image === "" ? undefined : docker({ image });
const probe = await sandbox?.probe();
if (probe?.ok === false) console.warn(`Not tried on a real engine: ${probe.reason}. ${probe.fix ?? ""}`);

describe.skipIf(sandbox === undefined || probe?.ok !== true)("on a real engine", () => {
  afterAll(removeTemporaryFolders);
  const run = (script: string, more: Partial<SandboxJob> = {}) => sandbox?.run(jobFor(script, more));
  const workspace = (): string => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, "here.txt"), "seen\n", { mode: 0o644 });
    return folder;
  };

  test("a script gets arguments and input, and gives both outputs and its exit code back", async () => {
    const stdin = Buffer.from("from outside\n");
    const outcome = await run('cat; echo "$1"; echo oops >&2; exit 7', { args: ["one two"], stdin });
    expect(outcome).toMatchObject({ exitCode: 7, stdout: "from outside\none two\n", stderr: "oops\n" });
  });

  test("it can write to its private folders, and nowhere else", async () => {
    const script =
      'for d in /tmp "$HOME" . / /usr "$SKILL_DIR"; do (: >"$d/x") 2>/dev/null && echo "$d"; done; true';
    expect((await run(script))?.stdout).toBe("/tmp\n/run/skillet/home\n.\n");
  });

  test("the workspace can be read, and written only where that is granted", async () => {
    const folder = workspace();
    const script = "cat here.txt; for f in new .git/new; do (: >$f) 2>/dev/null && echo wrote $f; done; true";
    expect((await run(script, { workspace: folder }))?.stdout).toBe("seen\n");
    if (process.getuid?.() === 0) return;
    expect((await run(script, { workspace: folder, writable: [folder] }))?.stdout).toBe("seen\nwrote new\n");
  });

  test("limits hold: time, memory, output", async () => {
    const { limits } = jobFor("");
    expect(await run("sleep 600", { limits: { ...limits, timeoutMs: 2000 } })).toMatchObject({
      status: "timed-out",
    });
    const memory = await run("head -c 500000000 /dev/zero | tail", {
      limits: { ...limits, memoryBytes: 64 * 1024 ** 2 },
    });
    expect(memory?.exitCode).not.toBe(0);
    expect(await run("cat /dev/zero")).toMatchObject({ limit: "output" });
  });
});
