import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { codes, createPlace, type Place, standing } from "./place.ts";

const GIGABYTE = 1024 ** 3;
const SKILL = "project/.agents/skills/odd/SKILL.md";

function special(place: Place, path: string, make: (file: string) => void): void {
  const file = join(place.root, path);
  mkdirSync(dirname(file), { recursive: true });
  make(file);
}

const makeFifo = (file: string): void => void execFileSync("mkfifo", [file]);
// The same numbers as /dev/zero, which never ends.
const makeDevice = (file: string): void =>
  void execFileSync("mknod", [file, "c", "1", "5"], { stdio: "ignore" });

/** Why devices cannot be made here, if they cannot. */
function findDeviceObstacle(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "skillet-device-"));
  try {
    makeDevice(join(directory, "probe"));
    return undefined;
  } catch (error) {
    return `mknod does not work here (${(error as Error).message.split("\n")[0]})`;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const deviceObstacle = findDeviceObstacle();
if (deviceObstacle !== undefined) console.log(`Skipped: a device in place of SKILL.md; ${deviceObstacle}`);

describe("in place of SKILL.md", () => {
  async function expectRefused(place: Place): Promise<void> {
    const skills = await place.open();
    expect(standing(skills)).toEqual(["mine enabled"]);
    expect(codes(skills)).toEqual(["not-a-file"]);
    const run = await place.within(20, ["show"]);
    expect(run).toMatchObject({ exitCode: 0, signal: null });
  }

  test("a FIFO is reported and never waited for", async () => {
    const place = createPlace();
    special(place, SKILL, makeFifo);
    await expectRefused(place);
  });

  test.skipIf(deviceObstacle !== undefined)("a device is reported and never read", async () => {
    const place = createPlace();
    special(place, SKILL, makeDevice);
    await expectRefused(place);
  });

  test("a socket is reported and never connected to", async () => {
    const place = createPlace();
    const server = createServer(() => expect.unreachable("somebody connected"));
    onTestFinished(() => void server.close());
    special(place, SKILL, (file) => server.listen(file));
    await once(server, "listening");
    await expectRefused(place);
  });

  test("a folder is reported", async () => {
    const place = createPlace();
    special(place, SKILL, (file) => mkdirSync(file));
    await expectRefused(place);
  });

  test("a gigabyte is not read, by the registry, the command and the validator", async () => {
    const place = createPlace();
    truncateSync(place.write(SKILL, skillText("odd")), GIGABYTE);
    const before = process.memoryUsage.rss();
    const skills = await place.open();
    expect(process.memoryUsage.rss() - before).toBeLessThan(GIGABYTE / 8);
    expect(standing(skills)).toEqual(["mine enabled"]);
    expect(codes(skills)).toEqual(["skill-too-large"]);
    const { document } = await place.json(["validate", ".agents/skills/odd"]);
    expect(document.results[0].diagnostics[0].code).toBe("skill-too-large");
    expect(await place.within(20, ["validate", "--fix", ".agents/skills/odd"])).toMatchObject({
      exitCode: 1,
      signal: null,
    });
  });
});

const BESIDE = [
  "project/.agents/skills/.gitignore",
  "project/.agents/skills/.skilletignore",
  "project/.agents/skills/.claude-plugin/plugin.json",
  "project/.agents/skills/plain/agents/openai.yaml",
  "project/.agents/skills/plain/references/data",
  "project/.claude/commands/run.md",
];

describe("beside a skill", () => {
  test.each(BESIDE)("a FIFO at %s keeps no skill from loading", async (path) => {
    const place = createPlace();
    place.write("project/.agents/skills/plain/SKILL.md", skillText("plain"));
    special(place, path, makeFifo);
    expect(standing(await place.open())).toEqual(["mine enabled", "plain untrusted"]);
    expect(await place.within(20, ["explain", "plain"])).toMatchObject({ exitCode: 0, signal: null });
  });

  test.each(BESIDE.slice(0, 4))("a gigabyte at %s keeps no skill from loading", async (path) => {
    const place = createPlace();
    place.write("project/.agents/skills/plain/SKILL.md", skillText("plain"));
    truncateSync(place.write(path, ""), GIGABYTE);
    const before = process.memoryUsage.rss();
    expect(standing(await place.open())).toEqual(["mine enabled", "plain untrusted"]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(GIGABYTE / 8);
  });
});

describe("in place of Skillet's own files", () => {
  test.each([
    ["config.yaml", "config-invalid"],
    ["trust.json", "trust-store-invalid"],
  ])("a FIFO or a gigabyte at %s is an error with a code, not a wait", async (name, code) => {
    const place = createPlace();
    special(place, `home/.skillet/${name}`, makeFifo);
    await expect(place.open()).rejects.toMatchObject({ code });
    rmSync(join(place.home, ".skillet", name));
    truncateSync(place.write(`home/.skillet/${name}`, ""), GIGABYTE);
    await expect(place.open()).rejects.toMatchObject({ code });
  });

  test("a FIFO in place of the audit log stops the decision, and nothing is changed", async () => {
    const place = createPlace();
    special(place, "home/.skillet/audit.jsonl", makeFifo);
    const run = await place.within(20, ["disable", "mine", "--yes"]);
    expect(run).toMatchObject({ exitCode: 2, signal: null });
    expect(run.stderr).toContain("audit");
    expect(existsSync(join(place.home, ".skillet/config.yaml"))).toBe(false);
  });
});
