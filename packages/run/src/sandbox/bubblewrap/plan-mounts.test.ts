import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { missingSandbox, SandboxBench } from "./testing/sandbox-bench.ts";

const reason = await missingSandbox();

describe.skipIf(reason !== undefined)("in bubblewrap", () => {
  let bench: SandboxBench;
  beforeEach(() => {
    bench = new SandboxBench();
  });
  afterEach(() => bench.close());

  const put = (path: string, text: string): string => {
    const file = join(bench.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  test.each([
    ["with a slash at its end", (folder: string) => `${folder}/`],
    ["with a part that means nothing", (folder: string) => `${dirname(folder)}/./records`],
  ])(
    "a protected folder that is written %s is protected all the same, or nothing runs",
    async (_name, spell) => {
      const journal = put("runs/records/journal", "kept\n");
      await bench
        .run("echo forged > runs/records/journal", {
          writable: [bench.workspace],
          protect: [spell(dirname(journal))],
        })
        .catch(() => undefined);
      expect(readFileSync(journal, "utf8")).toBe("kept\n");
    },
  );

  test("a protected folder that is granted as a whole stays protected, or nothing runs", async () => {
    const journal = put("runs/records/journal", "kept\n");
    const records = dirname(journal);
    await bench
      .run(`echo forged > ${records}/journal`, { writable: [records], protect: [records] })
      .catch(() => undefined);
    expect(readFileSync(journal, "utf8")).toBe("kept\n");
  });

  test("a protected folder that is not there yet cannot be made by the script", async () => {
    put("file", "");
    const records = join(bench.workspace, "runs/records");
    await bench
      .run("mkdir -p runs/records && echo forged > runs/records/journal", {
        writable: [bench.workspace],
        protect: [records],
      })
      .catch(() => undefined);
    expect(existsSync(join(records, "journal"))).toBe(false);
  });

  test("a read-only workspace inside a writable folder cannot be moved away and put up anew", async () => {
    const file = put("project/inner/settings", "mine\n");
    const workspace = dirname(file);
    const { stdout } = await bench.run(
      "echo x 2>/dev/null > settings && echo written; cd ../..; mv project old && mkdir -p project/inner && echo theirs > project/inner/settings && echo swapped",
      { workspace, writable: [bench.workspace] },
    );
    expect.soft(stdout).toBe("");
    expect(readFileSync(file, "utf8")).toBe("mine\n");
  });

  test.runIf(process.getuid?.() === 0)(
    "for root too: a folder that is closed to its owner does not uncover the credentials in it",
    async () => {
      put(".config/gh/hosts.yml", "HIDDEN-TOKEN\n");
      for (const path of ["", ".config", ".config/gh", ".config/gh/hosts.yml"])
        chownSync(join(bench.workspace, path), 1001, 1001);
      chmodSync(join(bench.workspace, ".config"), 0o600);
      chmodSync(bench.workspace, 0o700);
      const { stdout } = await bench.run("chmod 700 .config; cat .config/gh/hosts.yml 2>/dev/null; :", {
        writable: [bench.workspace],
      });
      expect(stdout).toBe("");
    },
  );

  test.each(["new\nline", "sp ace", "quo'te", "--ro-bind", "$(touch evil)", "ünï"])(
    "a workspace called %j is what it is, and its guards hold",
    async (name) => {
      const workspace = join(bench.root, name);
      mkdirSync(join(workspace, ".git"), { recursive: true });
      mkdirSync(join(workspace, ".ssh"));
      writeFileSync(join(workspace, ".ssh", "id"), "HIDDEN");
      const { stdout } = await bench.run(
        "pwd; echo made > result; cat .ssh/id 2>/dev/null; echo x 2>/dev/null > .git/config; ls .git; :",
        { workspace, writable: [workspace] },
      );
      expect(stdout).toBe(`${workspace}\n`);
      expect(readFileSync(join(workspace, "result"), "utf8")).toBe("made\n");
    },
  );

  test("a folder below /var/tmp can be a workspace", async () => {
    const workspace = mkdtempSync("/var/tmp/skillet-mounts-");
    try {
      chmodSync(workspace, 0o755);
      expect((await bench.run("pwd", { workspace })).stdout).toBe(`${workspace}\n`);
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  });
});
