import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

// Sets what is there already: where it is let through, the machine is as it was.
const SET = `
def set_rights(place):
    os.chmod(place, os.stat(place).st_mode & 0o7777)
def set_times(place):
    found = os.stat(place)
    os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))
`;
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeAll(async () => {
    attacker = await Attacker.open(identity);
  });
  afterAll(() => attacker?.close());

  // With a writable folder of root's own the script keeps root's number on the machine: the devices are "its own".
  test("rights and times of the machine's devices cannot be set, whichever user's folder is writable", async () => {
    const places = [...DEVICES.map((name) => `"/dev/${name}"`), "0", '"/proc/self/fd/0"'];
    const attempts = Object.fromEntries(
      places.flatMap((place) => [
        [`rights of ${place}`, `set_rights(${place})`],
        [`times of ${place}`, `set_times(${place})`],
      ]),
    );
    const outcome = await attacker.attack(attackProgram(attempts, SET), { writable: [attacker.workspace] });
    expect(JSON.parse(outcome.stdout)).toEqual(all(attempts, "held"));
  });

  test("the devices are of use all the same", async () => {
    const outcome = await attacker.attack(
      `
import os
with open("/dev/null", "w") as file:
    file.write("x")
with open("/dev/zero", "rb") as zero, open("/dev/urandom", "rb") as random:
    print(zero.read(2), len(random.read(4)), os.read(0, 1))
`,
      { writable: [attacker.workspace] },
    );
    expect(outcome.stdout).toBe("b'\\x00\\x00' 4 b''\n");
  });
});
