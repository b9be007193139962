import { describe, expect, test } from "vitest";
import { ExampleTable, type TriggerExample } from "./example-tables.ts";

function tableOf(wanted: readonly string[], unwanted: readonly string[] = []): ExampleTable {
  const toExample =
    (shouldTrigger: boolean) =>
    (message: string): TriggerExample => ({ message, shouldTrigger });
  return new ExampleTable([...wanted.map(toExample(true)), ...unwanted.map(toExample(false))]);
}

describe("examples that should and should not call a skill", () => {
  const table = tableOf(
    ["open a pull request", "merge the pull request", "close the pull request"],
    ["pull the request body from the form", "write the request handler", "close the dialog"],
  );

  const wantedOf = (message: string): number => table.nearnessOf(message).wanted;

  test("a message with the words of the former is near, with those of the latter is not", () => {
    expect(wantedOf("reopen that pull request")).toBeGreaterThan(wantedOf("pull it"));
    expect(wantedOf("write the handler")).toBeLessThan(wantedOf("write it"));
  });

  test("an example itself is as near as its author says", () => {
    expect(wantedOf("Close the dialog!")).toBe(-1);
    expect(wantedOf("open a pull request")).toBe(1);
  });

  test("words beside each other say more than the same words apart", () => {
    expect(wantedOf("the pull request")).toBeGreaterThan(wantedOf("request the pull"));
  });

  test("nearness stays between -1 and 1, however much is said", () => {
    const long = "open close merge the pull request ".repeat(200);
    for (const message of [long, "the form body handler dialog write from ".repeat(200)]) {
      const { wanted, subject } = table.nearnessOf(message);
      expect(Math.max(Math.abs(wanted), Math.abs(subject))).toBeLessThanOrEqual(1);
    }
  });
});

test("a message that has nothing in common with many examples is rather not for the skill", () => {
  const few = tableOf(["say hello"]);
  const many = tableOf(Array.from({ length: 60 }, (_, index) => `say hello to guest${index}`));
  expect(many.nearnessOf("bake bread").subject).toBeLessThan(-0.3);
  expect(few.nearnessOf("bake bread").subject).toBeGreaterThan(-0.2);
});

test("everyday words of examples do not make a message one about the skill, words of its matter do", () => {
  const loop = tableOf(
    Array.from({ length: 40 }, (_, index) => `keep going until the compiler accepts module ${index}`),
    Array.from({ length: 40 }, (_, index) => `which compiler accepts module ${index}?`),
  );
  expect(loop.nearnessOf("is it going to be cold").wanted).toBeGreaterThan(0);
  expect(loop.nearnessOf("is it going to be cold").subject).toBeLessThan(0);
  expect(loop.nearnessOf("go on until the compiler accepts it").subject).toBeGreaterThan(0.2);
});
