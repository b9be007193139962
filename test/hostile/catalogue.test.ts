import { createCatalog } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { createPlace } from "./place.ts";

test("the catalogue holds no character that XML does not allow", async () => {
  const place = createPlace();
  place.write(
    "home/.skillet/skills/odd/SKILL.md",
    '---\nname: odd\ndescription: "Odd \\0\\a\\e[2J\\uffff."\n---\n',
  );
  const skills = await place.open();
  const { text } = createCatalog(skills.list());
  expect(text).toContain("Odd [2J\ufffd.");
});
