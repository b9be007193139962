import { expect, test } from "vitest";
import { createPlace, standing } from "./place.ts";

test("a skill with a very long name can be disabled by its folder's", async () => {
  const place = createPlace();
  const name = "漢".repeat(30_000);
  place.write("home/.skillet/skills/long/SKILL.md", `---\nname: ${name}\ndescription: Long.\n---\n`);
  expect(await place.skillet(["disable", "long"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(standing(await place.open())).toEqual(["long disabled", "mine enabled"]);
});
