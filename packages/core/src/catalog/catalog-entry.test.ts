import { expect, test } from "vitest";
import { makeSkill, writeHeader } from "../select/testing/make-skill.ts";
import { catalogEntry } from "./catalog-entry.ts";

test("what a model is told about a skill holds nothing that a reader would not see", () => {
  const skill = makeSkill(
    writeHeader("bees", "Keeps honey bees\u{E0049}\u{E0047}\u{E004E}\u202e and hives.", [
      `when_to_use: ${JSON.stringify("When mites\u200b come.")}`,
    ]),
  );
  expect(catalogEntry(skill).description).toBe("Keeps honey bees and hives. When mites come.");
});

test("joiners that shape what is seen, line ends and other scripts stay", () => {
  const text = "Zählt 👩‍🔬 und نامه‌ها.";
  expect(catalogEntry(makeSkill(writeHeader("counts", text))).description).toBe(text);
});
