import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { installCommand, type SealingWay, sealDevices, setUpError } from "./sandbox-host.ts";

const nothing = { head: new Uint8Array(0), tail: new Uint8Array(0), omittedBytes: 0 };

test("what bubblewrap said is the reason, and nothing of the skill has run", async () => {
  const error = await setUpError({
    ending: "exit",
    exitCode: 1,
    stdout: nothing,
    stderr: { ...nothing, head: Buffer.from(`bwrap: Can't find source path /x\n${"y".repeat(9999)}`) },
    collected: new Map(),
    durationMs: 1,
  });
  expect(error.code).toBe("sandbox-unavailable");
  expect(error.message).toMatch(
    /^bubblewrap could not set up the sandbox: bwrap: Can't find source path \/x/,
  );
  expect(error.message).toMatch(/Nothing was run\.$/);
  expect(error.message.length).toBeLessThan(700);
});

test("without a word from bubblewrap the reason is how it ended", async () => {
  const result = {
    ending: "exit",
    signal: "SIGKILL",
    stdout: nothing,
    stderr: nothing,
    durationMs: 1,
  } as const;
  expect((await setUpError({ ...result, collected: new Map() })).message).toContain("it ended with SIGKILL");
});

const PROGRAMS = { unshare: "/usr/bin/unshare", mount: "/usr/bin/mount" };
const run = (way: SealingWay, script: string, stdin: number | "ignore" = "ignore") => {
  const [program = "", ...args] = sealDevices(PROGRAMS, way);
  return spawnSync(program, [...args, "/bin/sh", "-c", script], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdio: [stdin, "pipe", "pipe"],
    encoding: "utf8",
  });
};

const isRoot = process.getuid?.() === 0;
const ways = (["root", "own-root"] as const).filter((way) => isRoot && run(way, ":").status === 0);
if (ways.length < 2)
  console.warn(`Tests of sealed devices are skipped but for: ${ways.join(", ") || "none"}.`);

describe.each(ways.length === 0 ? ["root" as const] : ways)("sealed as %s", (way) => {
  beforeEach((context) => {
    if (ways.length === 0) context.skip();
  });
  // The rights they have anyway: where the seal does not hold, the machine is as it was.
  test("devices can be read and written, and neither their rights nor their times be changed", () => {
    const { stdout, stderr } = run(
      way,
      "echo x > /dev/null && head -c 2 /dev/zero | wc -c; chmod 666 /dev/full; touch /dev/full; chmod 666 /proc/self/fd/0",
    );
    expect(stdout.trim()).toBe("2");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
  });

  test("a standard input that was given stays as it is", () => {
    const file = openSync("/etc/os-release", constants.O_RDONLY);
    try {
      expect(run(way, "head -c 5 | wc -c", file).stdout.trim()).toBe("5");
    } finally {
      closeSync(file);
    }
  });
});

const commandFor = (osRelease: string, isRoot = false): string =>
  installCommand("bubblewrap", { osRelease, isRoot });

test("each family of Linux gets the one command that installs a package there", () => {
  expect(commandFor('NAME="Debian GNU/Linux"\nID=debian\n')).toBe("sudo apt-get install bubblewrap");
  expect(commandFor("ID=linuxmint\nID_LIKE='ubuntu debian'\n")).toBe("sudo apt-get install bubblewrap");
  expect(commandFor('ID="rocky"\nID_LIKE="rhel centos fedora"\n')).toBe("sudo dnf install bubblewrap");
  expect(commandFor("ID=manjaro\nID_LIKE=arch\n")).toBe("sudo pacman -S bubblewrap");
  expect(commandFor("ID=alpine\n")).toBe("sudo apk add bubblewrap");
  expect(commandFor('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n')).toBe(
    "sudo zypper install bubblewrap",
  );
});

test("root needs no sudo, and an unknown system gets the most common command", () => {
  expect(commandFor("ID=debian\n", true)).toBe("apt-get install bubblewrap");
  expect(commandFor("")).toBe("sudo apt-get install bubblewrap");
});
