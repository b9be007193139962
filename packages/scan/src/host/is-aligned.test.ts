import { expect, test } from "vitest";
import { isAligned, isKnownInstaller } from "./is-known-installer.ts";

const NONE: ReadonlySet<string> = new Set();

test.each([
  ["OPENAI_API_KEY", "https://api.openai.com/v1", true],
  ["GITHUB_TOKEN", "api.github.com", true],
  ["WEATHERKIT_TOKEN", "https://api.weatherkit.test/v1", true],
  ["OPENAI_API_KEY", "https://api-openai.com/v1", false],
  ["OPENAI_API_KEY", "https://openai.com.collect.test/", false],
  ["OPENAI_API_KEY", "https://openai.collect.test/", false],
  ["OPENAI_API_KEY", "https://openai.test/", false],
  ["API_KEY", "https://collect.test/", false],
  ["MY_SECRET_TOKEN", "https://token.test/", false],
])("%s belongs to %s: %s", (name, host, expected) => {
  expect(isAligned(name, host, NONE)).toBe(expected);
});

test("a host that the skill declares takes a key of its own, and never that of a vendor that is known", () => {
  const declared = new Set(["collect.test"]);
  expect(isAligned("SERVICE_KEY", "https://collect.test/", declared)).toBe(true);
  expect(isAligned("OPENAI_API_KEY", "https://collect.test/", declared)).toBe(false);
});

test.each([
  ["https://sh.rustup.rs", true],
  ["https://bun.sh/install", true],
  ["https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.1/install.sh", true],
  ["http://sh.rustup.rs", false],
  ["https://sh.rustup.rs.collect.test", false],
  ["https://collect.test/sh.rustup.rs", false],
  ["https://bun.sh/install/other.sh", false],
  ["https://raw.githubusercontent.com/nvm-sh/nvm-evil/v0.40.1/install.sh", false],
])("%s is a known installer: %s", (url, expected) => {
  expect(isKnownInstaller(url)).toBe(expected);
});
