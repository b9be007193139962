import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPlace, standing } from "./place.ts";

// Longer than a file system lets a name be: the link can be made, and following it fails.
const LONG = "a".repeat(300);

test.each([
  ["to too long a name", LONG],
  ["to itself", ".skillet"],
])(
  "an untrusted project whose .skillet is a link %s keeps no command from working",
  async (_title, target) => {
    const place = createPlace();
    place.link("project/.skillet", target);
    expect(standing(await place.open())).toEqual(["mine enabled"]);
  },
);

test("a config behind a link to too long a name is a fault with a code, before and after the project is trusted", async () => {
  const place = createPlace();
  place.write("project/.skillet/config.yaml", "{}\n");
  expect((await place.skillet(["trust", "--yes"])).exitCode).toBe(0);
  rmSync(join(place.project, ".skillet/config.yaml"));
  place.link("project/.skillet/config.yaml", LONG);
  await expect(place.open()).rejects.toMatchObject({ code: "config-invalid" });
  await place.skillet(["trust", "--revoke"]);
  const again = await place.skillet(["trust", "--yes"]);
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("config.yaml")]);
});
