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

test("a trusted project's config behind a link to too long a name is a fault with a code", async () => {
  const place = createPlace();
  place.link("project/.skillet/config.yaml", LONG);
  await place.skillet(["trust", "--yes"]);
  await expect(place.open()).rejects.toMatchObject({ code: "config-invalid" });
});
