import { expect, test } from "vitest";
import { nextLocation } from "./address.ts";

const follow = (
  from: string,
  location: string | undefined,
  { status = 302, method = "GET" } = {},
): string | undefined =>
  nextLocation(new URL(from), { status, headers: location === undefined ? {} : { location } }, method)?.href;

test("an answer that leads on gives the next address, relative ones from where it came", () => {
  expect(follow("https://a.test/x/y", "../z")).toBe("https://a.test/z");
  expect(follow("http://a.test/", "https://b.test/")).toBe("https://b.test/");
});

test("other answers lead nowhere", () => {
  expect(follow("https://a.test/", "/b", { status: 200 })).toBeUndefined();
  expect(follow("https://a.test/", "/b", { status: 304 })).toBeUndefined();
  expect(follow("https://a.test/", undefined)).toBeUndefined();
});

test("nothing leads from https to http", () => {
  expect(() => follow("https://a.test/", "http://a.test/")).toThrow(/from https/);
});

test("what cannot be read is not followed", () => {
  expect(() => follow("https://a.test/", "http://[::1%25lo]/")).toThrow(/cannot be read/);
});

test("what is sent is sent on only where the answer says so", () => {
  expect(follow("https://a.test/", "/b", { status: 307, method: "PUT" })).toBe("https://a.test/b");
  expect(() => follow("https://a.test/", "/b", { status: 302, method: "PUT" })).toThrow(/redirect/);
});
