import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleSource } from "../testing/bundle-source.ts";
import { noProcessWith, uniqueSleep } from "./testing/shell.ts";

// For tests that need a parent of their own: it runs its arguments and prints what they wrote.
const DRIVER = `
import { runProcess } from "./run-process.js";
const { stdout, stderr } = await runProcess({
  argv: process.argv.slice(2),
  environment: { PATH: "/usr/bin:/bin" },
  cwd: "/",
  deadlineMs: 24 * 60 * 60 * 1000,
  ...(process.env.DRIVE_AS && { user: { uid: Number(process.env.DRIVE_AS), gid: 1 } }),
  onOutput: (_stream, bytes) => {
    if (bytes.includes("exit now")) process.exit(7);
    if (bytes.includes("throw now")) setImmediate(() => Promise.reject(new Error("thrown")));
  },
});
process.stdout.write(stdout.head);
process.stderr.write(stderr.head);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skillet-spawn-"));
  await writeFile(join(folder, "secret"), "a secret of the caller's parent\n");
  await writeFile(join(folder, "driver.js"), DRIVER);
  await bundleSource(folder, "kit/src/process/run-process.ts");
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts the driver through a shell that opens descriptors first, as a careless parent would. */
function drive(open: string, script: string): { status: number | null; stdout: string; stderr: string } {
  const start = `${open} exec "$0" "$1/driver.js" /bin/bash -c "$2"`;
  const argv = ["-c", start, process.execPath, folder, script];
  const { status, stdout, stderr } = spawnSync("/bin/bash", argv, {
    encoding: "utf8",
    timeout: 60_000,
    cwd: folder,
  });
  return { status, stdout, stderr };
}

describe.skipIf(process.platform !== "linux")("a descriptor that the caller's parent left open", () => {
  const list = "for fd in /proc/$BASHPID/fd/*; do echo $(basename $fd) $(readlink $fd); done";

  test.each([20, 21, 1000])("%i is not the program's", (descriptor) => {
    const { status, stdout } = drive(`exec ${descriptor}<secret;`, `cat <&${descriptor}; ${list}`);
    expect(status).toBe(0);
    expect(stdout).not.toContain("secret");
    expect(stdout).toContain(`${descriptor} /dev/null\n`);
  });

  test("above every number that can be covered is refused", ({ skip }) => {
    const { status, stdout, stderr } = drive("ulimit -n 10002 || exit 9; exec 10001<secret;", "echo started");
    skip(status === 9, "so many descriptors are not allowed here");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("Descriptor 10001 was left open by the parent process");
  });
});

test.skipIf(process.platform !== "linux")(
  "who is not root cannot start a program as another user",
  async () => {
    await chmod(folder, 0o755);
    const become =
      process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const argv = [...become, process.execPath, join(folder, "driver.js"), "/bin/bash", "-c", "id -u"];
    const { status, stdout, stderr } = spawnSync("/usr/bin/env", argv, {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", DRIVE_AS: "1" },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("could not be started as another user; only root can do that");
  },
);

describe.skipIf(process.platform !== "linux")("a caller", () => {
  test("whose runs have settled ends by itself, long before their deadlines", () => {
    expect(drive("", "echo out; echo problem >&2")).toEqual({
      status: 0,
      stdout: "out\n",
      stderr: "problem\n",
    });
  });

  test.each([
    ["exits", "exit now", 7],
    ["dies of an error", "throw now", 1],
  ])("that %s takes the whole tree with it", async (_how, word, status) => {
    const sleep = uniqueSleep();
    const script = `setsid ${sleep} & until pgrep -xf '${sleep}' > /dev/null; do :; done; echo ${word}; exec ${sleep}`;
    expect(drive("", script).status).toBe(status);
    // Nobody is left to wait for them, so they may take a moment.
    await noProcessWith(sleep);
  });
});
