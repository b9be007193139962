import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
  });
  afterAll(() => attacker?.close());

  const found = async (program: string, options = {}): Promise<unknown> =>
    JSON.parse((await attacker.attack(program, options)).stdout);

  test("nothing outside of what was given can be read", async () => {
    const attempts = {
      "a file beside the workspace": `must(b"SECRET" in read(${JSON.stringify(attacker.secretFile)}))`,
      "its way round": `must(b"SECRET" in read("../outside/secret.txt"))`,
      "the list of users of the machine": `must(b"daemon:x:1:" in read("/etc/passwd"))`,
      "the folder of homes": `must(len(os.listdir(${JSON.stringify(join(attacker.home, ".."))})) > 1)`,
    };
    const program = attackProgram(attempts);
    expect(await found(program)).toEqual(all(attempts, "held"));
    expect(await found(program, { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("nothing outside of what was granted can be written", async () => {
    const target = join(attacker.root, "outside", "planted.txt");
    const attempts = {
      "a file beside the workspace": `write(${JSON.stringify(target)})`,
      "a file in the workspace, which is read-only": `write("planted-in-workspace.txt")`,
      "a hard link to the secret": `os.link(${JSON.stringify(attacker.secretFile)}, "/tmp/linked")`,
    };
    const program = attackProgram(attempts);
    expect(await found(program)).toEqual(all(attempts, "held"));
    expect(existsSync(target)).toBe(false);
    expect(existsSync(join(attacker.workspace, "planted-in-workspace.txt"))).toBe(false);
    const { "a hard link to the secret": _linked, ...effective } = attempts;
    expect(await found(attackProgram(effective), { sandbox: "none" })).toEqual(all(effective, "through"));
  });

  test("the root, the system and the devices cannot be written", async () => {
    const attempts = {
      "a file in the root": `write("/planted")`,
      "a folder in the root": `os.mkdir("/planted-folder")`,
      "a system program": `write("/usr/bin/planted")`,
      "a system file": `write("/etc/planted")`,
      "a kernel setting": `write("/proc/sys/kernel/core_pattern", "|/tmp/x")`,
      "the kernel's panic button": `write("/proc/sysrq-trigger", "b")`,
      "a device of the machine": `os.mknod("/tmp/disk", 0o600 | 0o060000, os.makedev(8, 0))`,
      "a device under /dev": `write("/dev/planted")`,
      "the kernel's objects": `os.listdir("/sys/kernel")`,
      "control groups": `os.listdir("/sys/fs/cgroup")`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
  });

  test("the skill itself cannot be written, and its staged copy stays as it was", async () => {
    const attempts = {
      "its script": `write(__file__)`,
      "a file beside it": `write(os.path.join(os.path.dirname(__file__), "planted.py"))`,
      "its rights": `os.chmod(__file__, 0o777)`,
      "its name": `os.rename(__file__, __file__ + ".old")`,
      "its SKILL.md": `write(os.path.join(os.environ["SKILL_DIR"], "SKILL.md"))`,
      "its folder": `os.chmod(os.environ["SKILL_DIR"], 0o777)`,
    };
    const program = attackProgram(attempts);
    expect(await found(program)).toEqual(all(attempts, "held"));
    expect(await found(program)).toEqual(all(attempts, "held"));
    const harmless = { "its folder": `os.chmod(os.environ["SKILL_DIR"], 0o755)` };
    expect(await found(attackProgram(harmless), { sandbox: "none" })).toEqual(all(harmless, "through"));
  });

  test("a link in the workspace leads nowhere", async () => {
    symlinkSync(join(attacker.root, "outside"), join(attacker.workspace, "planted"));
    symlinkSync("/", join(attacker.workspace, "everything"));
    const target = join(attacker.root, "outside", "through-a-link.txt");
    const attempts = {
      "reading through it": `must(b"SECRET" in read("planted/secret.txt"))`,
      "writing through it": `write("planted/through-a-link.txt")`,
      "reading through the root": `must(b"SECRET" in read("everything" + ${JSON.stringify(attacker.secretFile)}))`,
    };
    const program = attackProgram(attempts);
    expect(await found(program, { writable: [attacker.workspace] })).toEqual(all(attempts, "held"));
    expect(existsSync(target)).toBe(false);
    expect(await found(program, { sandbox: "none" })).toEqual(all(attempts, "through"));
  });

  test("a link that one run plants gives the next one nothing", async () => {
    const plant = attackProgram({
      plant: `
os.makedirs("built", exist_ok=True)
os.symlink(${JSON.stringify(join(attacker.root, "outside"))}, "built/out")
os.symlink("/etc", ".agents")
os.symlink(${JSON.stringify(join(attacker.root, "outside"))}, ".skillet")`,
    });
    expect(await found(plant, { writable: [attacker.workspace] })).toEqual({ plant: "through" });
    const attempts = {
      "reading through what was planted": `must(b"SECRET" in read("built/out/secret.txt"))`,
      "reading through a name that Skillet knows": `must(b"SECRET" in read(".skillet/secret.txt"))`,
      "the machine's own /etc": `must(b"daemon:x:1:" in read(".agents/passwd"))`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
    // Nor is anything let write there before a person has looked.
    await expect(attacker.attack("", { writable: [attacker.workspace] })).rejects.toThrow("through a link");
    for (const name of [".agents", ".skillet"]) rmSync(join(attacker.workspace, name));
    expect(readFileSync(attacker.secretFile, "utf8")).toBe("TOP-SECRET\n");
  });

  test("a writable workspace can be written, but not what others run or trust in it", async () => {
    const hooks = join(attacker.workspace, ".git/hooks");
    const skills = join(attacker.workspace, ".claude/skills/mine");
    for (const folder of [hooks, skills]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(skills, "SKILL.md"), "Trusted.");
    for (const path of [".git", ".git/hooks", ".claude", ".claude/skills", ".claude/skills/mine"])
      attacker.own(join(attacker.workspace, path));
    attacker.own(join(skills, "SKILL.md"));
    const attempts = {
      "a hook": `write(".git/hooks/post-checkout")`,
      "the folder of hooks": `os.rename(".git/hooks", ".git/old-hooks")`,
      "a trusted skill": `write(".claude/skills/mine/SKILL.md")`,
      "the folder of skills": `os.rename(".claude", "old")`,
    };
    const program = attackProgram({ ...attempts, "a result": `write("result.txt", "made")` });
    expect(await found(program, { writable: [attacker.workspace] })).toEqual({
      ...all(attempts, "held"),
      "a result": "through",
    });
    expect(readFileSync(join(attacker.workspace, "result.txt"), "utf8")).toBe("made");
    expect(readFileSync(join(skills, "SKILL.md"), "utf8")).toBe("Trusted.");
    expect(existsSync(join(hooks, "post-checkout"))).toBe(false);
  });

  test("neither its own program nor open descriptors lead out", async () => {
    const attempts = {
      "the program it runs in": `open("/proc/self/exe", "r+b")`,
      "the program of the first process": `open("/proc/1/exe", "r+b")`,
      "the root of the first process": `must(os.path.exists("/proc/1/root" + ${JSON.stringify(attacker.secretFile)}))`,
      "the folder of the first process": `must(os.path.exists("/proc/1/cwd" + ${JSON.stringify(attacker.secretFile)}))`,
      "descriptors of the first process": `must(any(os.path.isdir(path + "/.") for path in glob.glob("/proc/1/fd/*")))`,
      "descriptors that it should not have": `
leads = [os.path.realpath("/proc/self/fd/" + entry) for entry in os.listdir("/proc/self/fd") if int(entry) > 2]
must(any(path != "/dev/null" and not path.startswith("/proc/") for path in leads))`,
      "a folder above by descriptor": `
top = os.open("/", os.O_RDONLY)
must(os.path.exists("/proc/self/fd/%d/..%s" % (top, ${JSON.stringify(attacker.secretFile)})))`,
      "the memory of the machine": `read("/dev/mem")`,
      "the kernel's memory": `read("/proc/kcore")`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
  });
});
