import { describe, expect, test } from "vitest";
import { ExampleTable, type TriggerExample } from "./example-tables.ts";

const rarityOf = (): number => 5;

function tableOf(wanted: readonly string[], unwanted: readonly string[] = []): ExampleTable {
  const toExample =
    (shouldTrigger: boolean) =>
    (message: string): TriggerExample => ({ message, shouldTrigger });
  return new ExampleTable([...wanted.map(toExample(true)), ...unwanted.map(toExample(false))], { rarityOf });
}

describe("examples that should and should not call a skill", () => {
  const table = tableOf(
    ["open a pull request", "merge the pull request", "close the pull request"],
    ["pull the request body from the form", "write the request handler", "close the dialog"],
  );

  test("a message with the words of the former is near, with those of the latter is not", () => {
    expect(table.nearnessOf("reopen that pull request")).toBeGreaterThan(table.nearnessOf("pull it"));
    expect(table.nearnessOf("write the handler")).toBeLessThan(table.nearnessOf("write it"));
  });

  test("an example itself is as near as its author says", () => {
    expect(table.nearnessOf("Close the dialog!")).toBe(-1);
    expect(table.nearnessOf("open a pull request")).toBe(1);
  });

  test("words beside each other say more than the same words apart", () => {
    expect(table.nearnessOf("the pull request")).toBeGreaterThan(table.nearnessOf("request the pull"));
  });

  test("nearness stays between -1 and 1, however much is said", () => {
    const long = "open close merge the pull request ".repeat(200);
    expect(table.nearnessOf(long)).toBeLessThanOrEqual(1);
    expect(table.nearnessOf("the form body handler dialog write from ".repeat(200))).toBeGreaterThanOrEqual(
      -1,
    );
  });
});

test("a message that has nothing in common with many examples is rather not for the skill", () => {
  const few = tableOf(["say hello"]);
  const many = tableOf(Array.from({ length: 60 }, (_, index) => `say hello to guest${index}`));
  expect(many.nearnessOf("bake bread")).toBeLessThan(-0.3);
  expect(few.nearnessOf("bake bread")).toBeGreaterThan(-0.1);
});
