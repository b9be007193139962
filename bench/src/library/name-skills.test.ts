import { expect, test } from "vitest";
import { createNamer } from "./name-skills.ts";
import { createRandom } from "./random.ts";

test("no name is handed out twice, however many are asked for", () => {
  const random = createRandom(1);
  const nameSkill = createNamer();
  const names = Array.from({ length: 50_000 }, () => nameSkill(random));
  expect(new Set(names).size).toBe(50_000);
});
