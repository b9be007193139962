import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

const PLANT = { "a hook": `write("vendor/inner/.git/hooks/post-checkout", "evil")` };

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeEach(async () => {
    attacker = await Attacker.open(identity);
  });
  afterEach(() => attacker?.close());

  const put = (path: string, text = ""): void => {
    const file = join(attacker.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const give = (): void => {
    execFileSync("chown", ["-hR", identity === "root" ? "0:0" : "1001:1001", attacker.workspace]);
  };
  const attack = async (attempts: Record<string, string>, options = {}): Promise<unknown> => {
    const program = attackProgram(attempts);
    const { stdout } = await attacker.attack(program, { writable: [attacker.workspace], ...options });
    return JSON.parse(stdout);
  };

  test.each([
    ["51 repositories", `for number in range(51): os.makedirs(f"a{number}/.git")`],
    [
      "10,001 files",
      `
os.makedirs("a")
for number in range(10001): write(f"a/{number}", "")`,
    ],
    [
      "deep and many folders",
      `
os.makedirs("d/" * 40)
for number in range(3000): os.makedirs(f"w/{number}")`,
    ],
  ])("making %s does not take the guard from another repository for the next run", async (_, decoys) => {
    put("vendor/inner/.git/hooks/README");
    give();
    expect(await attack({ decoys })).toEqual({ decoys: "through" });
    expect(await attack(PLANT)).toEqual(all(PLANT, "held"));
  });

  test("nothing runs where a script made more repositories than can be guarded", async () => {
    put("vendor/inner/.git/hooks/README");
    give();
    const decoys = `for number in range(201): os.makedirs(f"a{number}/.git")`;
    expect(await attack({ decoys })).toEqual({ decoys: "through" });
    await expect(attack(PLANT)).rejects.toThrow("permission-denied: A script cannot be given");
  });

  test.each(["0o000", "0o100", "0o300", "0o600"])(
    "closing a folder (%s) does not take the guard from the repository in it for the next run",
    async (mode) => {
      put("vendor/inner/.git/hooks/README");
      give();
      const close = `os.chmod("vendor", ${mode})`;
      expect(await attack({ close })).toEqual({ close: "through" });
      const open = { "a hook": `\nos.chmod("vendor", 0o700)${"\n"}${PLANT["a hook"]}` };
      expect(await attack(open)).toEqual(all(open, "held"));
    },
  );

  test("nothing runs where a repository may lie in a folder whose name is not UTF-8", async () => {
    const make = `import os, sys; os.makedirs(os.fsencode(sys.argv[1]) + b"/caf\\xe9/.git/hooks")`;
    execFileSync("python3", ["-c", make, attacker.workspace]);
    give();
    await expect(attack({})).rejects.toThrow(
      `permission-denied: A script cannot be given ${attacker.workspace}: the name of ${attacker.workspace}/caf\uFFFD is not UTF-8`,
    );
    execFileSync("rm", ["-r", attacker.workspace]);
  });

  test("repositories with long paths that a script made do not keep the next one from running", async () => {
    const long = `
for number in range(45):
    base = f"{number:03}" + "x" * 240
    os.makedirs(f"{base}/{base}/{base}/.git")`;
    expect(await attack({ long })).toEqual({ long: "through" });
    expect(await attack({ result: `write("result")` })).toEqual({ result: "through" });
  });

  test.each([
    "with space",
    "quo'te\"s",
    "new\nline",
    "gl*b[a]?",
    "back\\slash",
    "oct\\040al",
    "tab\there",
    "ünï",
    "$(id)`id`",
    "-dash",
    "hash#x",
  ])("a workspace called %j is used and guarded", async (name) => {
    const workspace = join(attacker.workspace, name);
    put(`${name}/.git/config`);
    put(`${name}/sub dir\\040/.git/config`);
    put(`${name}/.netrc`, "HIDDEN");
    put(`${name}/.ssh/id`, "HIDDEN");
    give();
    const held = {
      "a setting": `write(".git/config", "evil")`,
      "a setting further down": `write("sub dir\\\\040/.git/config", "evil")`,
      "a password": `must(b"HIDDEN" in read(".netrc"))`,
      "a key": `must(b"HIDDEN" in read(".ssh/id"))`,
    };
    const outcome = await attack(
      { ...held, result: `write("result")` },
      { workspace, writable: [workspace] },
    );
    expect(outcome).toEqual({ ...all(held, "held"), result: "through" });
  });

  test("work trees, submodules, installed packages and links between instructions are no obstacle", async () => {
    put(".git", "gitdir: /somewhere/else/.git/worktrees/x\n");
    put(".gitmodules", "[submodule]\n");
    put("sub/.git", "gitdir: ../.git/modules/sub\n");
    put("docs/AGENTS.md");
    put("node_modules/.pnpm/a@1/node_modules/a/index.js");
    put("node_modules/x/.git/config");
    symlinkSync(".pnpm/a@1/node_modules/a", join(attacker.workspace, "node_modules/a"));
    symlinkSync("docs/AGENTS.md", join(attacker.workspace, "AGENTS.md"));
    symlinkSync("AGENTS.md", join(attacker.workspace, "CLAUDE.md"));
    mkdirSync(join(attacker.workspace, "out"));
    give();
    const held = { "a link to it": `write(".git", "evil")`, "a submodule": `write("sub/.git", "evil")` };
    expect(await attack({ ...held, result: `write("result")` })).toEqual({
      ...all(held, "held"),
      result: "through",
    });
    const outside = { ...held, "a file outside": `write("other")` };
    const out = { writable: [join(attacker.workspace, "out")] };
    expect(await attack({ ...outside, result: `write("out/result")` }, out)).toEqual({
      ...all(outside, "held"),
      result: "through",
    });
  });

  test("guards cannot be exchanged, linked, opened or unmounted", async () => {
    put(".git/config");
    put("AGENTS.md", "mine");
    put(".config/gh/hosts.yml", "HIDDEN");
    put("vendor/inner/.git/config");
    put("x/y");
    give();
    const attempts = {
      "exchanging what is above a secret": `call(316, -100, b".config", -100, b"x", 2)`,
      "exchanging instructions": `call(316, -100, b"AGENTS.md", -100, b"x/y", 2)`,
      "exchanging what is above a repository": `call(316, -100, b"vendor", -100, b"x", 2)`,
      "a second name for instructions": `os.link("AGENTS.md", "b")`,
      "a second name for a setting": `os.link(".git/config", "b2")`,
      "a second name for one further down": `os.link("vendor/inner/.git/config", "b3")`,
      "a second name for a secret": `os.link(".config/gh/hosts.yml", "b4")`,
      "removing what is above a secret": `os.rmdir(".config")`,
      "removing instructions": `os.unlink("AGENTS.md")`,
      "a secret through the working directory": `must(b"HIDDEN" in read("/proc/self/cwd/.config/gh/hosts.yml"))`,
      "a secret through another's": `must(b"HIDDEN" in read("/proc/1/cwd/.config/gh/hosts.yml"))`,
      "opening a cover": `os.chmod(".config/gh", 0o777); write(".config/gh/x")`,
      "the mode of a setting": `os.chmod(".git/config", 0o777)`,
      "unmounting a cover": `checked(libc.umount2(b".config/gh", 2))`,
      "a file by its handle": `checked(libc.open_by_handle_at(-100, ctypes.create_string_buffer(200), 0))`,
    };
    expect(await attack(attempts)).toEqual(all(attempts, "held"));
  });
});
