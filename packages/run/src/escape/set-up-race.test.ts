import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

const ROUNDS = 8;

// While bubblewrap sets a sandbox up, the whole machine lies below /oldroot for it, and it follows links in a writable
// folder on its way to the places where it hides things.
const SWAP = (target: string) => `
number = 316 if os.uname().machine == "x86_64" else 276
os.symlink("/oldroot" + ${JSON.stringify(target)}, "swap")
end = time.time() + 25
while time.time() < end and not os.path.exists("stop"):
    libc.syscall(ctypes.c_long(number), -100, b".config", -100, b"swap", 2)
    time.sleep(0.012)`;

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  test("a script of another process that swaps a folder for a link while another one is set up has nothing made outside, and uncovers nothing", async () => {
    const attacker = await Attacker.open(identity);
    try {
      const outside = join(attacker.root, "outside", "elsewhere");
      const credentials = join(attacker.workspace, ".config", "gh");
      for (const folder of [outside, join(attacker.workspace, ".config"), credentials]) {
        mkdirSync(folder, { mode: 0o755 });
        attacker.own(folder);
      }
      writeFileSync(join(credentials, "hosts.yml"), "HIDDEN-TOKEN");
      attacker.own(join(credentials, "hosts.yml"));
      const options = { writable: [attacker.workspace], timeoutMs: 40_000 };
      const swapping = attacker.attack(attackProgram({ swap: SWAP(outside) }), options);
      let uncovered = 0;
      const look = `
for folder in (".config", "swap") * 20:
    try:
        if b"HIDDEN" in read(folder + "/gh/hosts.yml"):
            sys.exit("uncovered")
    except OSError:
        time.sleep(0.005)`;
      for (let round = 0; round < ROUNDS && readdirSync(outside).length === 0; round += 1) {
        // A set-up that is given up is as good as one that holds.
        const outcome = await attacker.attack(attackProgram({ look }), options).catch(() => undefined);
        if (outcome?.stderr.includes("uncovered")) uncovered += 1;
      }
      writeFileSync(join(attacker.workspace, "stop"), "");
      await swapping;
      expect.soft(readdirSync(outside)).toEqual([]);
      expect(uncovered).toBe(0);
    } finally {
      attacker.close();
    }
  });
});
