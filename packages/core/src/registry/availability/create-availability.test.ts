import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import type { Gating } from "../../format/manifest.ts";
import { NO_GATING } from "../../format/manifest.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { type AvailabilityContext, createAvailability } from "./create-availability.ts";

const answer = (gating: Partial<Gating>, context: Partial<AvailabilityContext> = {}): string[] =>
  createAvailability({ platform: "linux", environment: {}, userHome: "/nowhere", ...context })({
    ...NO_GATING,
    ...gating,
  }).map(({ message }) => message);

test("commands are looked up along PATH as executable files, none being started", () => {
  const folder = writeTree(temporaryDirectory(), {
    "bin/tool": { text: "", mode: 0o755 },
    "bin/data": { text: "", mode: 0o644 },
    "bin/folder/x": "",
  });
  const environment = { PATH: `/nowhere:${join(folder, "bin/data")}:${join(folder, "bin")}` };
  expect(answer({ bins: ["tool", "data", "folder", "absent", "../bin/tool", ""] }, { environment })).toEqual([
    "missing commands: data, folder, absent, ../bin/tool, ",
  ]);
  expect(answer({ anyBins: ["absent", "tool"] }, { environment })).toEqual([]);
  expect(answer({ anyBins: ["absent", "gone"] }, { environment })).toEqual([
    "needs one of the commands: absent, gone",
  ]);
});

test("asking for hundreds of commands gives the same answers as asking for one", () => {
  const names = Array.from({ length: 200 }, (_, index) => `tool-${index}`);
  const there = names.filter((_, index) => index % 3 === 0);
  const folder = writeTree(
    temporaryDirectory(),
    Object.fromEntries(there.map((name) => [name, { text: "", mode: 0o755 }])),
  );
  const environment = { PATH: folder };
  const absent = names.filter((name) => !there.includes(name));
  expect(answer({ bins: names }, { environment })).toEqual([`missing commands: ${absent.join(", ")}`]);
});

test("an environment variable must hold something, unless it is optional", () => {
  const environment = { SET: "x", BLANK: " " };
  expect(
    answer(
      { env: [{ name: "SET" }, { name: "BLANK" }, { name: "GONE" }, { name: "MAYBE", optional: true }] },
      { environment },
    ),
  ).toEqual(["missing environment variables: BLANK, GONE"]);
});

test("another platform is missing even for a skill that is always offered, and nothing else is", () => {
  expect(answer({ always: true, os: ["darwin"], bins: ["absent"] })).toEqual(["needs darwin, this is linux"]);
  expect(answer({ os: ["linux"] }, { platform: "android" })).toEqual([]);
});

test("servers, tools and settings count only when the host says what it has", () => {
  const gating = {
    mcp: [{ name: "github", transport: "stdio" }],
    requiresTools: ["Bash"],
    config: ["browser.enabled", "mail.token"],
  };
  expect(answer(gating)).toEqual([]);
  expect(answer(gating, { mcpServers: [], tools: ["Read"], hostConfig: { mail: { token: " " } } })).toEqual([
    "missing host settings: mail.token",
    "missing MCP servers: github",
    "missing tools: Bash",
  ]);
  expect(answer({ fallbackForTools: ["Browser"] }, { tools: ["Browser"] })).toEqual([
    "stands in for what is there: Browser",
  ]);
});

test("a credential file must be there, and is never opened", () => {
  const userHome = writeTree(temporaryDirectory(), { ".netrc": { text: "secret", mode: 0o000 } });
  expect(answer({ credentialFiles: ["~/.netrc", ".aws/credentials"] }, { userHome })).toEqual([
    "missing credential files: .aws/credentials",
  ]);
});

test("names that every object has, and paths that no file system takes, are missing and nothing worse", () => {
  const env = ["toString", "constructor", "__proto__", "hasOwnProperty"].map((name) => ({ name }));
  expect(answer({ env }, { environment: process.env })).toEqual([
    "missing environment variables: toString, constructor, __proto__, hasOwnProperty",
  ]);
  const credentialFiles = ["x".repeat(5000), "a\0b", "/etc/passwd", "../../etc/passwd"];
  expect(answer({ credentialFiles }, { userHome: "/" })).toEqual([
    `missing credential files: ${credentialFiles.join(", ")}`,
  ]);
  expect(
    answer({ bins: ["x".repeat(5000), "a\0b", "constructor"] }, { environment: { PATH: "/usr/bin" } }).length,
  ).toBe(1);
});
