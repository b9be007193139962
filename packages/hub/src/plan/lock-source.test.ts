import { expect, test } from "vitest";
import { isSameSource, lockResolved, lockSource } from "./lock-source.ts";

const PROJECT = { scope: { kind: "project", root: "/p" }, root: "/p" } as const;
const USER = { scope: { kind: "user", home: "/h", pluginsDirectory: "/h/plugins" }, root: "/h" } as const;

test.each([
  ["/p/src/x", "./src/x"],
  ["/p", "./"],
  ["/other/x", "/other/x"],
  ["/pp", "/pp"],
])("a project's lock writes %s as %s", (path, expected) => {
  expect(lockSource({ kind: "local", path }, PROJECT)).toBe(expected);
  expect(lockResolved({ kind: "local", path }, PROJECT)).toEqual({ kind: "local", path: expected });
});

test("a user's lock writes folders whole", () => {
  expect(lockSource({ kind: "local", path: "/h/x" }, USER)).toBe("/h/x");
});

test.each<[string, string, boolean]>([
  ["o/r#v1@x", "o/r#v2@x", true],
  ["o/r#@x", "o/r#main@x", true],
  ["npm:p@1.0.0", "npm:p@2.0.0", true],
  ["oci://r.example/x:1", "oci://r.example/x:2", true],
  ["o/r#@x", "o/r#@y", false],
  ["o/r#@x", "o/s#@x", false],
  ["./a@x", "./b@x", false],
])("%s and %s are the same thing: %s", (left, right, same) => {
  expect(isSameSource(left, right, { root: "/p", userHome: "/u" })).toBe(same);
});
