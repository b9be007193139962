import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document } from "./sandbox.ts";

describe("config", () => {
  test("a value is set with its comments kept, read back with its place, and unset", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write(
      "home/.skillet/config.yaml",
      "# mine\nskills:\n  userDir: ~/my-skills # here\n",
    );
    expect(await sandbox.skillet(["config", "set", "skills.scriptTimeout", "5000"])).toEqual({
      exitCode: 0,
      stdout: "skills.scriptTimeout is 5000 now, in ~/.skillet/config.yaml.\n",
      stderr: "",
    });
    expect(readFileSync(file, "utf8")).toContain("# mine\nskills:\n  userDir: ~/my-skills # here\n");
    expect((await sandbox.json(["config", "get", "skills.scriptTimeout"])).document).toEqual({
      schemaVersion: 1,
      key: "skills.scriptTimeout",
      value: 5000,
      layer: "user",
      file,
      line: 4,
      origins: [{ layer: "user", file, line: 4 }],
    });
    expect((await sandbox.skillet(["config", "get", "skills.userDir"])).stdout).toBe(
      `${sandbox.home}/my-skills\n`,
    );
    await sandbox.skillet(["config", "unset", "skills.scriptTimeout"]);
    expect((await sandbox.json(["config", "get", "skills.scriptTimeout"])).document).toMatchObject({
      layer: "defaults",
    });
  });

  test("a file that went with its last value is not named", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: 5000\n");
    const { stdout } = await sandbox.skillet(["config", "unset", "skills.scriptTimeout"]);
    expect([existsSync(file), stdout]).toEqual([false, "skills.scriptTimeout is not set now.\n"]);
  });

  test.each([[["config"]], [["config", "list"]]])(
    "skillet %s lists every value and who set it",
    async (args) => {
      const sandbox = createSandbox();
      sandbox.write("home/.skillet/config.yaml", "skills:\n  disabledBundled: [gh]\n");
      const { exitCode, document } = await sandbox.json(args);
      expect(exitCode).toBe(0);
      const layers = new Map(document.values.map(({ key, layer }: Document) => [key, layer]));
      expect(layers.get("skills.disabledBundled")).toBe("user");
      expect(layers.get("skills.scriptTimeout")).toBe("defaults");
      const { stdout } = await sandbox.skillet(args);
      expect(stdout).toMatch(
        /^skills\.disabledBundled +\["gh"\]\n {2}set by user, ~\/\.skillet\/config\.yaml:2$/m,
      );
    },
  );

  test.each([
    ["skills.scriptTimeout", "soon"],
    ["skills.scriptTimout", "5"],
    ["skills.foo", "5"],
    ["skills..x", "5"],
    ["skills.userDir", "[unclosed"],
    ["hub.agents", '["cluade"]'],
    ["hub", '{"agents": ["cluade"]}'],
  ])("%s %s is refused and nothing is written", async (key, value) => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: 5000\n");
    const run = await sandbox.skillet(["config", "set", key, value]);
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(run.stderr).toMatch(/^error: \S/);
    expect(readFileSync(file, "utf8")).toBe("skills:\n  scriptTimeout: 5000\n");
  });

  test("a value that would not load is said not to have been written", async () => {
    const sandbox = createSandbox();
    const { exitCode, stderr } = await sandbox.skillet(["config", "set", "skills.scriptTimeout", "soon"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: Nothing was written\. The configuration would have 1 problem:\n/);
  });

  test.each([
    [["set", "skills.scriptTimeout", "5000"], "skills:\n  scriptTimeout: 5000 # late\n"],
    [["unset", "skills.scriptTimeout"], ""],
  ])("config that does not load is repaired by skillet config %s", async (args, repaired) => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: soon # late\n");
    const other = await sandbox.skillet(["config", "set", "policy.mode", "plan"]);
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toMatch(/^error: Nothing was written\. The configuration has 1 problem:\n/);
    expect((await sandbox.skillet(["config", ...args])).exitCode).toBe(0);
    // Nothing is left to say: then there is no file either.
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(repaired);
    expect((await sandbox.skillet(["config", "list"])).exitCode).toBe(0);
  });

  test("a value that has no default is listed, and read before anybody sets it", async () => {
    const sandbox = createSandbox();
    const { document } = await sandbox.json(["config", "list"]);
    const listed: readonly string[] = document.values.map(({ key }: Document) => key);
    for (const key of [
      "eval.model.model",
      "eval.model.endpoint",
      "scan.judge.command",
      "agent.prices.input",
    ]) {
      expect(listed).toContain(key);
      expect(await sandbox.skillet(["config", "get", key])).toMatchObject({
        exitCode: 0,
        stdout: "(not set)\n",
      });
      expect((await sandbox.json(["config", "get", key])).document).toMatchObject({ key, value: null });
    }
    for (const key of ["mcp.servers", "skills.overrides", "profiles"])
      expect([key, (await sandbox.skillet(["config", "get", key])).stdout]).toEqual([key, "{}\n"]);
    await sandbox.skillet(["config", "set", "eval.model.model", "x"]);
    expect((await sandbox.skillet(["config", "get", "eval.model.model"])).stdout).toBe("x\n");
    const again = (await sandbox.json(["config", "list"])).document;
    expect(again.values.map(({ key }: Document) => key)).toEqual(listed);
  });

  test("a project's value says that it is not read before the folder is trusted", async () => {
    const sandbox = createSandbox();
    const set = async (mode: string): Promise<string> =>
      (await sandbox.skillet(["config", "set", "--project", "policy.mode", mode])).stdout;
    expect(await set("plan")).toMatch(/It is not read until the folder is trusted: skillet trust\n$/);
    await sandbox.skillet(["trust", "--yes"]);
    expect(await set("locked")).toMatch(/^policy\.mode is locked now, in .*config\.yaml\.\n$/);
    expect((await sandbox.skillet(["config", "get", "policy.mode"])).stdout).toBe("locked\n");
  });

  test("a key to unset that is near another is asked about", async () => {
    const { stdout } = await createSandbox().skillet(["config", "unset", "policy.mod"]);
    expect(stdout).toContain("did you mean policy.mode?");
  });

  test("an unknown key is no answer", async () => {
    const { exitCode, stderr } = await createSandbox().skillet(["config", "get", "skills.nothing"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /There are skills\.\w+, .* and \d+ more\.\n {2}See all of them: skillet config list\n/,
    );
  });

  test.each([
    ["scriptTimeot", "skills.scriptTimeout"],
    ["hub.sorces", "hub.sources"],
    ["policy.privateHosts", "hub.privateHosts"],
  ])("%s leads to the whole key that is near, and nothing is written", async (key, near) => {
    const sandbox = createSandbox();
    for (const args of [
      ["set", key, "5"],
      ["get", key],
    ])
      expect((await sandbox.skillet(["config", ...args])).stderr).toContain(`\n  Did you mean ${near}?\n`);
    expect((await sandbox.json(["config", "path"])).document.exists).toBe(false);
  });

  test("path prints where the files lie, also when they are broken", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/config.yaml", "skills: [\n");
    expect(await sandbox.skillet(["config", "path"])).toEqual({
      exitCode: 0,
      stdout: `${file}\n`,
      stderr: "",
    });
    expect((await sandbox.json(["config", "path", "--project"])).document).toEqual({
      schemaVersion: 1,
      path: join(sandbox.project, ".skillet/config.yaml"),
      exists: false,
    });
  });

  test("config that cannot be understood stops a command with the place", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: soon\n");
    const { exitCode, document } = await sandbox.json(["show"]);
    expect(exitCode).toBe(2);
    expect(document.error).toMatchObject({
      code: "config-invalid",
      details: { problems: [{ file, line: 2, column: 18 }] },
    });
  });
});

test("a time may be written with its unit, and is at most a day", async () => {
  const sandbox = createSandbox();
  const { stdout } = await sandbox.skillet(["config", "set", "skills.scriptTimeout", "5s"]);
  expect(stdout).toContain("skills.scriptTimeout is 5000 now");
  expect((await sandbox.skillet(["config", "set", "skills.scriptTimeout", "1500m"])).exitCode).toBe(2);
});
