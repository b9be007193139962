import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { createTerminal } from "../ui/terminal.ts";
import { displayWidth } from "../ui/text.ts";
import {
  choiceOfAll,
  matchingItems,
  openPicker,
  type PickerKey,
  type PickerState,
  pickerScreen,
  pressKey,
} from "./picker.ts";

const ITEMS = ["pdf", "docx", "slides"].map((name) => ({ name, description: `Makes ${name} files.` }));
const SPACE: PickerKey = { name: "space", sequence: " " };
const ENTER: PickerKey = { name: "return", sequence: "\r" };
const ESCAPE: PickerKey = { name: "escape", sequence: "\u001b" };
const type = (text: string): PickerKey[] => [...text].map((sequence) => ({ name: sequence, sequence }));

function press(state: PickerState, ...keys: readonly PickerKey[]): PickerState {
  return keys.reduce((current, key) => {
    const step = pressKey(current, key);
    if (step.kind !== "state") throw new Error(`ended with ${step.kind}`);
    return step.state;
  }, state);
}

test("what is typed finds names before descriptions, and those that begin with it first", () => {
  const items = ["postgres", "mysql", "sql-style"].map((name) => ({ name, description: "Writes SQL." }));
  expect(matchingItems(press(openPicker(items), ...type("sql")))).toEqual([2, 1, 0]);
});

test("a narrow screen cuts the name of the source and keeps the question", () => {
  const title = "file:///home/shared/team-skills holds 21 skills. Which ones?";
  const { colours } = plainLayout();
  const [line] = pickerScreen(openPicker(ITEMS), { title, columns: 40, rows: 24, colours });
  expect(line).toMatch(/^file:.*… Which ones\?$/);
});

describe("pressKey", () => {
  test("enter with nothing ticked chooses nothing, wherever the cursor is", () => {
    expect(pressKey(openPicker(ITEMS), ENTER)).toEqual({ kind: "chosen", indexes: [] });
    const moved = press(openPicker(ITEMS), { name: "down" });
    expect(pressKey(moved, ENTER)).toEqual({ kind: "chosen", indexes: [] });
  });

  test("what was chosen beforehand can be taken back altogether", () => {
    const state = press(openPicker(ITEMS, [0]), SPACE);
    expect(pressKey(state, ENTER)).toEqual({ kind: "chosen", indexes: [] });
  });

  test("the line for all has three states and covers what matches", () => {
    const top = press(openPicker(ITEMS), { name: "home" });
    expect(choiceOfAll(top)).toBe("none");
    expect(choiceOfAll(press(top, SPACE))).toBe("all");
    expect(choiceOfAll(press(top, SPACE, { name: "down" }, SPACE))).toBe("some");
    const searched = press(openPicker(ITEMS), ...type("docx"), { name: "up" }, SPACE, ESCAPE);
    expect([...searched.chosen]).toEqual([1]);
  });

  test("the line for all tells how many match a search from how many are chosen", () => {
    const all = press(openPicker(ITEMS), { name: "home" }, SPACE);
    const lines = pickerScreen(press(all, ...type("docx")), {
      title: "",
      columns: 80,
      rows: 24,
      colours: plainLayout().colours,
    });
    expect(lines.join("\n")).toContain(`[x] all matches (1), ${ITEMS.length} chosen`);
  });

  test("escape empties the search first, then cancels", () => {
    const searched = press(openPicker(ITEMS), ...type("pd"));
    expect(matchingItems(searched)).toEqual([0]);
    expect(pressKey(press(searched, ESCAPE), ESCAPE)).toEqual({ kind: "cancelled" });
    expect(pressKey(searched, { name: "c", ctrl: true, sequence: "\u0003" })).toEqual({
      kind: "interrupted",
    });
  });
});

describe("pickerScreen", () => {
  const { colours } = createTerminal({
    stdout: { write: () => true },
    stderr: { write: () => true },
    environment: {},
  });
  const keys = fc.constantFrom<PickerKey>(
    SPACE,
    ESCAPE,
    { name: "up" },
    { name: "down" },
    { name: "pagedown" },
    { name: "end" },
    { name: "backspace" },
    ...type("abcé"),
    { sequence: "\u001b[200~" },
  );

  test("whatever is pressed, no line is wider than the terminal, none acts, and the height stays", () => {
    const items = fc.array(
      fc.record({ name: fc.string({ unit: "binary" }), description: fc.string({ unit: "binary" }) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(
        items,
        fc.array(keys),
        fc.integer({ min: 24, max: 120 }),
        fc.integer({ min: 5, max: 50 }),
        (list, pressed, columns, rows) => {
          let state = openPicker(list);
          const options = { title: "Which ones?", columns, rows, colours };
          const { length } = pickerScreen(state, options);
          for (const key of pressed) {
            const step = pressKey(state, key);
            if (step.kind === "state") state = step.state;
            const lines = pickerScreen(state, options);
            expect(lines.length).toBe(length);
            expect(lines.every((line) => displayWidth(line) < columns)).toBe(true);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
            expect(lines.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          }
        },
      ),
    );
  });

  test("a search that finds nothing is said to", () => {
    const state = press(openPicker(ITEMS), ...type("zzz"));
    const lines = pickerScreen(state, { title: "", columns: 80, rows: 24, colours });
    expect(lines).toContain('  nothing matches "zzz"');
    expect(lines.join("\n")).not.toContain("all 0");
  });

  test("the line under the cursor is always on the screen", () => {
    const list = Array.from({ length: 100 }, (_, index) => ({ name: `skill-${index}`, description: "" }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 5, max: 40 }), (down, rows) => {
        const state = press(openPicker(list), ...Array.from({ length: down }, () => ({ name: "down" })));
        const lines = pickerScreen(state, { title: "", columns: 80, rows, colours });
        expect(lines).toContain(`> [ ] skill-${down}`);
      }),
    );
  });
});
