import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Attacker, bundleDrivers } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

// Writes the smallest program for x86-64 that makes an empty file, whatever it is asked.
const PLANT = `
import os, struct, sys
marker = sys.argv[1].encode() + b"\\0"
base = 0x400000
start = 64 + 56
# open(marker, O_CREAT | O_WRONLY, 0666); exit(0)
code = bytes.fromhex("488d3d1d000000") + bytes.fromhex("be41000000baB6010000b8020000000f05") + bytes.fromhex("31ffb83c0000000f0500000000")
code = code[:3] + struct.pack("<i", len(code) - 7) + code[7:]
size = start + len(code) + len(marker)
head = b"\\x7fELF" + bytes([2, 1, 1, 0]) + bytes(8)
head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, base + start, 64, 0, 0, 64, 56, 1, 0, 0, 0)
head += struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 0x1000)
os.makedirs("bin", exist_ok=True)
with open("bin/node", "wb") as file:
    file.write(head + code + marker)
os.chmod("bin/node", 0o755)
print("planted")
`;

const isSkipped = OBSTACLE !== undefined || process.arch !== "x64" || process.getuid?.() !== 0;

describe.skipIf(isSkipped).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
    await bundleDrivers(join(attacker.root, "driver"));
  });
  afterAll(() => attacker?.close());

  // In the second place only the runner knows that scripts write there.
  test.each([
    ["the working directory", "root"],
    ["another folder", "outside"],
  ])(
    "a node that a script planted in the operator's PATH is not started outside of the sandbox, from %s",
    async (_name, folder) => {
      const marker = join(attacker.root, "outside", "escaped");
      const planted = await attacker.attack(PLANT, { writable: [attacker.workspace], args: [marker] });
      expect(planted.stdout).toBe("planted\n");
      // A host whose own program is not called node (Electron, Bun, a single executable), on a machine without a
      // system-wide one, with the project's bin folder in PATH, as direnv puts it there.
      const application = join(attacker.root, "application");
      mkdirSync(application, { recursive: true });
      copyFileSync(process.execPath, join(application, "app"));
      chmodSync(join(application, "app"), 0o755);
      const hidden = ["/usr/bin/node", "/usr/local/bin/node", "/bin/node"]
        .filter((path) => existsSync(path))
        .slice(0, 1);
      const request = {
        sandbox: "bubblewrap",
        home: attacker.home,
        workspace: attacker.workspace,
        writable: [attacker.workspace],
        network: [],
        limits: {},
        timeoutMs: 60_000,
        args: [],
        files: [
          ["scripts/a.sh", "echo hello\n"],
          ["SKILL.md", "---\nname: attack\ndescription: Attacks.\n---\n"],
        ],
      };
      const user =
        identity === "root"
          ? []
          : ["/usr/bin/setpriv", "--reuid=1001", "--regid=1001", "--clear-groups", "--"];
      const run = spawnSync(
        "/usr/bin/bwrap",
        [
          ...["--dev-bind", "/", "/", ...hidden.flatMap((path) => ["--ro-bind", "/dev/null", path])],
          ...[
            "--cap-add",
            "ALL",
            "--",
            ...user,
            join(application, "app"),
            join(attacker.root, "driver", "escape-driver.js"),
          ],
        ],
        {
          cwd: folder === "root" ? attacker.root : attacker.home,
          input: `${JSON.stringify(request)}\n`,
          env: { PATH: `${join(attacker.workspace, "bin")}:/usr/bin:/bin`, HOME: attacker.home },
          timeout: 60_000,
        },
      );
      expect(existsSync(marker)).toBe(false);
      // Nothing was taken for node, so that there is nothing to prove the sandbox with.
      expect(JSON.parse(run.stdout.toString())).toMatchObject({
        status: "refused",
        code: "sandbox-unavailable",
      });
    },
  );
});
