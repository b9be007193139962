import fc from "fast-check";
import { expect, test } from "vitest";
import { transplantEdit } from "./render-yaml.ts";

test("a change is carried over and everything else stays byte for byte", () => {
  const original = "a:   1  # one\n\n\nb: {x:  2}\n";
  const untouched = "a: 1 # one\n\nb: { x: 2 }\n";
  expect(transplantEdit(original, untouched, "a: 1 # one\n\nb: { x: 2, y: 3 }\n")).toBe(
    "a:   1  # one\n\n\nb: {x:  2, y: 3 }\n",
  );
  expect(transplantEdit(original, untouched, "b: { x: 2 }\n")).toBe("b: {x:  2}\n");
  expect(transplantEdit(original, untouched, "a: 1 # one\n\nb: { x: 2 }\nc: 4\n")).toBe(
    "a:   1  # one\n\n\nb: {x:  2}\nc: 4\n",
  );
});

test("layouts that differ in more than white space are not mixed", () => {
  expect(transplantEdit("a: 'x'\n", 'a: "x"\n', 'a: "x"\nb: 1\n')).toBeUndefined();
});

test("but for white space the result is always the edited text", () => {
  const text = fc.stringMatching(/^[ab \n]{0,12}$/);
  const ink = (value: string) => value.replace(/\s/g, "");
  fc.assert(
    fc.property(text, text, (original, edited) => {
      const result = transplantEdit(original, original.replaceAll(" ", "\n"), edited);
      expect(ink(result ?? "")).toBe(ink(edited));
    }),
  );
});
