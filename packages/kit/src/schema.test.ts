import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anything,
  array,
  digest,
  flag,
  lenient,
  matching,
  object,
  oneOf,
  optional,
  type ReadOptions,
  readDocument,
  record,
  refine,
  type Schema,
  text,
  variant,
  wholeNumber,
} from "./schema.ts";

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly pinned?: boolean;
}

const entry = object<Entry>({ name: text, size: wholeNumber(0, 9), pinned: optional(flag) });

function messagesOf(schema: Schema<unknown>, value: unknown, options?: ReadOptions): readonly string[] {
  return readDocument(schema, value, options).faults.map(({ message }) => message);
}

describe("a document that fits", () => {
  test("is returned itself, with keys that the schema does not know", () => {
    const document = [{ name: "a", size: 1, later: {} }];
    expect(readDocument(array(entry), document)).toEqual({ value: document, faults: [] });
    expect(readDocument(array(entry), document).value).toBe(document);
  });

  test("is copied where a value is replaced, without a prototype where keys come from outside", () => {
    const shouting = object<Entry>({
      name: refine(text, (name) => name.toUpperCase()),
      size: wholeNumber(0),
      pinned: optional(flag),
    });
    const given = JSON.parse('{"name": "a", "size": 1, "__proto__": {"polluted": true}}');
    const { value } = readDocument(shouting, given);
    expect(Object.keys(value ?? {})).toEqual(["name", "size", "__proto__"]);
    expect(value?.name).toBe("A");
    expect("polluted" in {} || Object.getPrototypeOf(value)).toBe(null);
  });
});

describe("a fault", () => {
  test.each<[string, unknown, string, readonly (string | number)[]]>([
    ["a wrong type", [{ name: 3, size: 1 }], "`0.name` must be text, but is 3", [0, "name"]],
    ["a missing key", [{ name: "a" }], "`0` has no `size`", [0]],
    ["an inherited key", [Object.create({ name: "a", size: 1 })], "`0` has no `name`", [0]],
    [
      "a number out of bounds",
      [{ name: "a", size: 10 }],
      "`0.size` must be a whole number from 0 to 9, but is 10",
      [0, "size"],
    ],
    ["another container", { name: "a" }, "the document must be a list, but is an object", []],
    ["null", [null], "`0` must be an object, but is null", [0]],
  ])("names %s and its path", (_what, value, message, path) => {
    const { value: read, faults } = readDocument(array(entry), value);
    expect(read).toBeUndefined();
    expect([faults[0]?.message, faults[0]?.path]).toEqual([message, path]);
  });

  test("in a choice suggests what was meant", () => {
    expect(readDocument(oneOf(["copy", "link"]), "cpoy").faults[0]).toMatchObject({
      message: 'the document must be one of copy, link, but is "cpoy"',
      hint: "did you mean copy?",
    });
  });

  test("is shown on one line and cut, however long keys and values are", () => {
    const [message = ""] = messagesOf(record(text), { [`a\n${"x".repeat(100_000)}`]: ["y".repeat(100_000)] });
    expect(message.length).toBeLessThan(300);
    expect(message).not.toContain("\n");
    expect(messagesOf(flag, "y".repeat(100_000))[0]?.length).toBeLessThan(150);
  });

  test("is the last that is looked for where there are too many", () => {
    expect(messagesOf(array(text), Array(1_000_000).fill(1))).toHaveLength(20);
    expect(messagesOf(array(text), [1, 2, 3], { maxFaults: 2 })).toHaveLength(2);
  });
});

describe("unknown keys", () => {
  const known = { name: text };
  const given = JSON.parse('{"name": "a", "nmae": 1, "constructor": 2, "__proto__": 3}');

  test("are reported and left out where the schema says so", () => {
    const { value, faults } = readDocument(object<{ name: string }>(known, { unknown: "report" }), given);
    expect(value).toEqual({ name: "a" });
    expect(faults.map(({ kind, path, part, hint }) => [kind, path, part, hint])).toEqual([
      ["unknown-key", ["nmae"], "key", "did you mean `name`?"],
      ["unknown-key", ["constructor"], "key", "remove it, or check its spelling"],
      ["unknown-key", ["__proto__"], "key", "remove it, or check its spelling"],
    ]);
  });

  test("are left out silently where the schema says so", () => {
    expect(readDocument(object<{ name: string }>(known, { unknown: "drop" }), given)).toEqual({
      value: { name: "a" },
      faults: [],
    });
  });
});

describe("a lenient value", () => {
  test("is reported and left out, and what holds it stays", () => {
    const { value, faults } = readDocument(array(lenient(entry)), [
      { name: "a", size: 1 },
      { name: "b" },
      { name: "c", size: 2 },
    ]);
    expect(value?.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(faults.map(({ message }) => message)).toEqual(["`1` has no `size`"]);
    expect(readDocument(record(lenient(text)), { a: "x", b: 1 }).value).toEqual({ a: "x" });
    const field = object<{ a?: string; b: string }>({ a: lenient(text), b: text });
    expect(readDocument(field, { a: 1, b: "x" })).toMatchObject({
      value: { b: "x" },
      faults: [{ path: ["a"] }],
    });
  });
});

describe("keys of a record", () => {
  test("are the document's own, whatever they are called", () => {
    const { value } = readDocument(record(text), JSON.parse('{"__proto__": "x", "toString": "y"}'));
    expect(Object.entries(value ?? {})).toEqual([
      ["__proto__", "x"],
      ["toString", "y"],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(null);
  });

  test("are checked and replaced by their own schema", () => {
    const key = refine(matching(/^[a-z]+$/, "lower-case letters"), (name) => `x:${name}`);
    expect(readDocument(record(text, { key }), { a: "1" }).value).toEqual({ "x:a": "1" });
    expect(messagesOf(record(text, { key }), { A: "1" })).toEqual([
      '`A` must be lower-case letters, but is "A"',
    ]);
  });
});

test("in YAML an empty value is an absent key, an empty item a fault, and an object a map", () => {
  const yaml = { format: "yaml", name: "the file" } as const;
  expect(readDocument(entry, { name: "a", size: 1, pinned: null }, yaml)).toEqual({
    value: { name: "a", size: 1 },
    faults: [],
  });
  expect(messagesOf(entry, { name: "a", size: null }, yaml)).toEqual(["the file has no `size`"]);
  expect(messagesOf(array(text), ["a", null], yaml)).toEqual(["`1` is empty"]);
  expect(messagesOf(entry, [], yaml)).toEqual(["the file must be a map, but is a list"]);
  expect(readDocument(entry, null, yaml)).toEqual({ value: undefined, faults: [] });
});

test("a document with more faults than are kept is refused, instead of losing what was not looked at", () => {
  const schema = object<{ notes?: Readonly<Record<string, string>>; kind?: string }>({
    notes: lenient(record(lenient(text))),
    kind: lenient(text),
  });
  const notes = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, 0]));
  expect(readDocument(schema, { notes, kind: "index" }).value).toBeUndefined();
  expect(readDocument(array(lenient(text)), [...Array(20).fill(0), "a"]).value).toBeUndefined();
  const { n0: _, ...fewer } = notes;
  expect(readDocument(schema, { notes: fewer, kind: "index" }).value).toMatchObject({ kind: "index" });
});

test("variants are told apart by one key", () => {
  const either = variant<{ kind: "a"; x: string } | { kind: "b" }>({
    a: object<{ kind: "a"; x: string }>({ kind: oneOf(["a"]), x: text }),
    b: object<{ kind: "b" }>({ kind: oneOf(["b"]) }),
  });
  expect(messagesOf(either, { kind: "b" })).toEqual([]);
  expect(messagesOf(either, { kind: "a" })).toEqual(["the document has no `x`"]);
  expect(messagesOf(either, { kind: "constructor" })).toEqual([
    '`kind` must be one of a, b, but is "constructor"',
  ]);
  expect(messagesOf(either, {})).toEqual(["the document has no `kind`"]);
});

test("whatever is read, a value comes without faults or faults come without throwing", () => {
  const schema = array(
    object<{ a?: string; b: number; c?: unknown }>(
      { a: optional(digest), b: wholeNumber(1), c: optional(anything(3)) },
      { unknown: "report" },
    ),
  );
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      const { value: read, faults } = readDocument(schema, value);
      expect(read !== undefined || faults.length > 0).toBe(true);
    }),
  );
});
