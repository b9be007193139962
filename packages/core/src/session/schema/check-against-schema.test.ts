import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAgainstSchema, withoutNulls } from "./check-against-schema.ts";

const FORM = {
  type: "object",
  required: ["file", "fields"],
  additionalProperties: false,
  properties: {
    file: { type: "string", minLength: 2, maxLength: 5 },
    fields: {
      type: "array",
      minItems: 1,
      maxItems: 2,
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, page: { type: "integer", minimum: 1, maximum: 9 } },
      },
    },
    mode: { enum: ["fill", { draft: [1, true] }, null] },
    version: { const: 2 },
    note: { type: ["string", "null"] },
    gone: false,
    free: true,
  },
};
const FINE = { file: "a.pdf", fields: [{ name: "x", page: 3 }] };

describe("a value that fits", () => {
  test.each([
    FINE,
    { ...FINE, mode: "fill", version: 2, note: null, free: { any: "thing" } },
    { ...FINE, mode: { draft: [1, true] } },
    { ...FINE, mode: null, note: "" },
    {
      file: "😀😀😀😀😀",
      fields: [
        { name: "", page: 9 },
        { name: "y", other: 1 },
      ],
    },
  ])("has no problems: %j", (value) => {
    expect(checkAgainstSchema(value, FORM)).toEqual([]);
  });
});

test.each([
  ["no object", [], "", "must be an object, but is an array"],
  ["null", null, "", "must be an object, but is null"],
  ["a missing key", { fields: [{ name: "x" }] }, "", 'lacks "file"'],
  ["an inherited key", Object.create({ file: "a.pdf", fields: [] }), "", 'lacks "file"'],
  ["another key", { ...FINE, "a/b~c": 1 }, "/a~1b~0c", "is not allowed here"],
  ["a forbidden key", { ...FINE, gone: 1 }, "/gone", "is not allowed here"],
  ["a short text", { ...FINE, file: "😀" }, "/file", "must have at least 2 characters, but has 1"],
  ["a long text", { ...FINE, file: "abcdef" }, "/file", "must have at most 5 characters, but has 6"],
  ["an empty list", { ...FINE, fields: [] }, "/fields", "must have at least 1 items, but has 0"],
  [
    "a wrong type deep inside",
    { ...FINE, fields: [{ name: "x", page: 1.5 }] },
    "/fields/0/page",
    "must be an integer, but is a number",
  ],
  ["a small number", { ...FINE, fields: [{ name: "x", page: 0 }] }, "/fields/0/page", "must be at least 1"],
  ["a large number", { ...FINE, fields: [{ name: "x", page: 10 }] }, "/fields/0/page", "must be at most 9"],
  [
    "another choice",
    { ...FINE, mode: { draft: [1, "true"] } },
    "/mode",
    'must be one of "fill", {"draft":[1,true]}, null',
  ],
  ["another constant", { ...FINE, version: "2" }, "/version", "must be 2"],
  ["none of two types", { ...FINE, note: 1 }, "/note", "must be a string or null, but is a number"],
])("%s is a problem with its place", (_what, value, at, message) => {
  expect(checkAgainstSchema(value, FORM)[0]).toEqual({ at, message });
});

test("the order of keys makes no difference to equality", () => {
  expect(checkAgainstSchema({ b: [{ d: 1, c: 2 }], a: 1 }, { const: { a: 1, b: [{ c: 2, d: 1 }] } })).toEqual(
    [],
  );
});

test("too many items are counted, and each is looked at", () => {
  const fields = [{ name: 1 }, {}, { name: "x" }];
  expect(checkAgainstSchema({ file: "ab", fields }, FORM)).toEqual([
    { at: "/fields", message: "must have at most 2 items, but has 3" },
    { at: "/fields/0/name", message: "must be a string, but is a number" },
    { at: "/fields/1", message: 'lacks "name"' },
  ]);
});

test("keys that objects inherit are neither properties of a value nor of a schema", () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const value: unknown = JSON.parse(`{${JSON.stringify(key)}: {"polluted": true}}`);
    expect(checkAgainstSchema(value, schema)).toEqual([{ at: `/${key}`, message: "is not allowed here" }]);
    expect(checkAgainstSchema({}, { required: [key] })).toEqual([{ at: "", message: `lacks "${key}"` }]);
    const own = JSON.parse(`{"properties": {${JSON.stringify(key)}: {"type": "string"}}}`);
    expect(checkAgainstSchema(value, own)).toEqual([
      { at: `/${key}`, message: "must be a string, but is an object" },
    ]);
  }
  expect("polluted" in {}).toBe(false);
});

test("a pattern is not evaluated, nor are combinations and references", () => {
  const schema = {
    type: "string",
    pattern: "^(a+)+$",
    allOf: [false],
    anyOf: [{ type: "number" }],
    $ref: "#",
  };
  expect(checkAgainstSchema(`${"a".repeat(40)}!`, schema)).toEqual([]);
});

test("no more than twenty problems are told, and long keys are cut", () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]));
  expect(checkAgainstSchema(many, { additionalProperties: false })).toHaveLength(20);
  const [problem] = checkAgainstSchema({ ["x".repeat(100_000)]: 1 }, { additionalProperties: false });
  expect(problem?.at).toHaveLength(201);
});

test("values that lead into themselves come to an end", () => {
  const value: Record<string, unknown> = {};
  value.a = value;
  const schema: Record<string, unknown> = { type: "object" };
  schema.additionalProperties = schema;
  expect(checkAgainstSchema(value, schema)[0]?.message).toBe("is nested more than 64 deep");
  expect(checkAgainstSchema(value, { const: value })).toEqual([]);
});

test("what may be null is found out once, however many values there are", () => {
  let reads = 0;
  const choice = {
    get enum() {
      reads += 1;
      return ["x"];
    },
  };
  const values = Array.from({ length: 100 }, () => ({ a: null }));
  expect(withoutNulls(values, { items: { properties: { a: choice } } })).toEqual(values.map(() => ({})));
  expect(reads).toBe(1);
});

test("never throws, whatever it is given, and gives short problems with pointers", () => {
  const names = fc.constantFrom(
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maxLength",
    "minItems",
    "__proto__",
    "constructor",
  );
  const schemas = fc.oneof(
    fc.anything(),
    fc.dictionary(
      names,
      fc.oneof(
        fc.anything({ withNullPrototype: true, withBigInt: true }),
        fc.constantFrom("object", "string", ["a"], false),
      ),
    ),
  );
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
      schemas,
      (value, schema) => {
        const problems = checkAgainstSchema(value, schema as Record<string, unknown>);
        expect(problems.length).toBeLessThanOrEqual(20);
        for (const { at, message } of problems) {
          expect(at === "" || at.startsWith("/")).toBe(true);
          expect(message.length).toBeLessThan(1000);
        }
      },
    ),
  );
});

test("every JSON value is the only one that its constant lets pass", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const isSame = isEqual(left, right);
      expect(checkAgainstSchema(left, { const: left })).toEqual([]);
      expect(checkAgainstSchema(right, { enum: [left] }).length === 0).toBe(isSame);
    }),
  );
});

function isEqual(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return left === right;
  if (Array.isArray(left) || Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key as never], right[key as never]))
  );
}
