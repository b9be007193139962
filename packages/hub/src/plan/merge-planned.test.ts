import { expect, test } from "vitest";
import type { PlannedItem } from "../plan-item.ts";
import { mergePlanned } from "./plan-plugins.ts";

const WHERE = { place: "your config", wayOut: "rename one" };

function planned(name: string, digest: string, requiredBy?: readonly string[]): PlannedItem {
  const entry = { source: `./${name}-${digest}`, digest, ...(requiredBy && { requiredBy }) };
  return { state: "planned", name, entry } as unknown as PlannedItem;
}

test("what is listed itself is wanted for itself, although another one needs it too", () => {
  const [needed, listed] = [planned("x", "1", ["a"]), planned("x", "1")];
  expect(mergePlanned(new Map([["x", needed]]), listed, WHERE)).toBe(listed);
  expect(mergePlanned(new Map([["x", listed]]), needed, WHERE)).toBe(listed);
  const both = mergePlanned(new Map([["x", planned("x", "1", ["b"])]]), needed, WHERE);
  expect(both).toMatchObject({ state: "planned", entry: { requiredBy: ["a", "b"] } });
});

test.each([
  ["another skill of the same name", "x", "is the name of two different skills in your config"],
  [
    "a name that looks alike",
    "х",
    "is easily confused with x, which your config brings as well; rename one.",
  ],
])("%s is refused", (_what, name, reason) => {
  const refused = mergePlanned(new Map([["x", planned("x", "1")]]), planned(name, "2"), WHERE);
  expect(refused).toMatchObject({
    state: "refused",
    code: "name-taken",
    reason: expect.stringContaining(reason),
  });
});
