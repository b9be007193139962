import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

// `npm run try:race` plays a thousand.
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 200);

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  test.each([
    ["the script", "scripts/race.sh", 'echo evil; source "$SKILL_DIR/lib/helper.sh"'],
    ["a file that it sources", "lib/helper.sh", "echo evil"],
  ])(
    `swapping %s between check and run, ${ROUNDS} times, never runs what was not checked`,
    async (_what, file, evil) => {
      const attacker = await Attacker.open(identity);
      try {
        const root = join(attacker.root, "skills");
        for (const folder of ["", "racer", "racer/scripts", "racer/lib"]) {
          mkdirSync(join(root, folder), { recursive: true });
          attacker.own(join(root, folder));
        }
        const files = {
          "SKILL.md": "---\nname: racer\ndescription: Races.\n---\n",
          "scripts/race.sh": 'source "$SKILL_DIR/lib/helper.sh"\n',
          "lib/helper.sh": "echo good\n",
        };
        for (const [path, text] of Object.entries(files)) {
          writeFileSync(join(root, "racer", path), text);
          attacker.own(join(root, "racer", path));
        }
        const counts = await attacker.race({ root, rounds: ROUNDS, file, evil });
        const outcomes = Object.keys(counts).sort();
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(ROUNDS);
        expect(outcomes).toContain("script-snapshot-mismatch");
        // Everything that was not refused ran as it was checked. How many were depends on the machine.
        const ran = outcomes.filter((outcome) => !/^[a-z-]+$/.test(outcome));
        expect(["executed good\n"]).toEqual(expect.arrayContaining(ran));
      } finally {
        attacker.close();
      }
    },
    600_000,
  );
});
