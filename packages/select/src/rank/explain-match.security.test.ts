import { hasHidden } from "@skillet/kit/text";
import { expect, test } from "vitest";
import { createSelector } from "../create-selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "../testing/make-skill.ts";

// Tags that spell "IGN", a turn of the writing direction, a space without width.
const HIDDEN = "\u{E0049}\u{E0047}\u{E004E}\u202e\u200b";

test("reasons quote an author without what a reader would not see", async () => {
  const skill = makeSkill(
    writeHeader("ticket-reader", `Reads tickets. Use for "read ticket${HIDDEN}".`, [
      "triggers:",
      `  patterns: [${JSON.stringify(`OPS${HIDDEN}|OPS-[0-9]+`)}]`,
      `  keywords: [${JSON.stringify(`read${HIDDEN} ticket`)}]`,
    ]),
  );
  const selector = await createSelector([...makeLibrary(40), skill]);
  const [found] = selector.select("read ticket OPS-1", { limit: 1 });
  expect(found?.skill).toBe(skill);
  expect(found?.reasons.join(" ")).toContain("read ticket");
  expect(found?.reasons.filter(hasHidden)).toEqual([]);
});
