import type { Located } from "@skillet/kit/located";
import fc from "fast-check";
import { expect, test } from "vitest";
import { locateCsv } from "./locate-csv.ts";

const rows = (text: string): unknown => {
  const located = locateCsv(text);
  if ("fault" in located) return located.fault;
  const items = located.root.kind === "list" ? located.root.items : [];
  return items.map((node: Located) =>
    node.kind === "map"
      ? Object.fromEntries(
          node.entries.map(({ key, value }) => [key, value.kind === "scalar" && value.value]),
        )
      : node,
  );
};

test.each([",", ";", "\t"])("columns parted by %j are read by their header", (separator) => {
  const text = [`query${separator}should_trigger`, `fill a form${separator}yes`, ""].join("\r\n");
  expect(rows(text)).toEqual([{ query: "fill a form", should_trigger: "yes" }]);
});

test("any table comes back as it was written, quotes, separators and line ends included", () => {
  const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r\n", " ", "é") });
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(fc.tuple(field, field), { maxLength: 6 }), (table) => {
      const kept = table.filter((fields) => fields.some((text) => text.trim() !== ""));
      const text = ["query,label", ...table.map((fields) => fields.map(quote).join(","))].join("\n");
      expect(rows(text)).toEqual(kept.map(([query, label]) => ({ query, label })));
    }),
  );
});

test("places count lines inside quotes", () => {
  const located = locateCsv('query,label\n"a\nb",yes\nc,no\n');
  const items = "root" in located && located.root.kind === "list" ? located.root.items : [];
  expect(items.map(({ range }) => range)).toEqual([
    { line: 2, column: 1 },
    { line: 4, column: 1 },
  ]);
});

test.each([
  ['query,label\n"a,yes', "a quote is never closed", 2, 1],
  ['query,label\n"a"b,yes', "there is text after a closing quote", 2, 4],
])("%j: %s", (text, problem, line, column) => {
  expect(rows(text)).toEqual({ problem, range: { line, column } });
});

test("half a million separators on one line are read once", () => {
  expect(rows(`query,label\n${",".repeat(500_000)}`)).toEqual([]);
});
