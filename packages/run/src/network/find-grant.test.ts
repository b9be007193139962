import { expect, test } from "vitest";
import { findGrant } from "./find-grant.ts";

const covers = (granted: { host: string; port?: number }, host: string, port: number): boolean =>
  findGrant([granted], { host, port }) === granted;

test("a grant without a port is for 80 and 443, one with a port for that alone", () => {
  expect([80, 443, 8080].map((port) => covers({ host: "a.test" }, "a.test", port))).toEqual([
    true,
    true,
    false,
  ]);
  const asked = [80, 443, 8080].map((port) => covers({ host: "a.test", port: 8080 }, "a.test", port));
  expect(asked).toEqual([false, false, true]);
});

test("a wildcard covers what is below its name, and neither the name nor others that end alike", () => {
  const hosts = [
    "a.example.org",
    "b.a.example.org",
    "example.org",
    "evilexample.org",
    "a.example.org.evil.test",
  ];
  const covered = hosts.filter((host) => covers({ host: "*.example.org" }, host, 443));
  expect(covered).toEqual(["a.example.org", "b.a.example.org"]);
});

test("no wildcard covers an address, and a star alone covers nothing", () => {
  expect(covers({ host: "*.0.1" }, "127.0.0.1", 80)).toBe(false);
  expect(covers({ host: "*" }, "a.test", 80)).toBe(false);
  expect(covers({ host: "*." }, "a.test", 80)).toBe(false);
});
