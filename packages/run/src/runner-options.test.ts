import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_TIMEOUT_MS } from "./run-limits.ts";
import { resolveRunnerOptions } from "./runner-options.ts";

let root: string;
let home: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-options-")));
  home = join(root, "project", "home");
  mkdirSync(home, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("what is not given is filled in", () => {
  expect(resolveRunnerOptions({ home })).toEqual({
    sandbox: undefined,
    limits: {
      timeoutMs: 60_000,
      outputBytes: 1_048_576,
      memoryBytes: 1_073_741_824,
      processes: 128,
      fileBytes: 268_435_456,
      cpuSeconds: 120,
      temporaryBytes: 134_217_728,
      openFiles: 1024,
    },
    maxTimeoutMs: MAX_TIMEOUT_MS,
    concurrentRuns: 4,
    allow: [],
    network: [],
    writable: [],
    home,
    directory: join(home, "cache", "staged"),
    clock: expect.any(Function),
  });
});

test.each([
  [{ timeoutMs: 600_001 }],
  [{ timeoutMs: 0 }],
  [{ outputBytes: -1 }],
  [{ memoryBytes: 1.5 }],
  [{ processes: Number.NaN }],
  [{ cpuSeconds: Number.POSITIVE_INFINITY }],
  [{ openFiles: "many" as unknown as number }],
  [{ concurrentRuns: 0 }],
  [{ concurrentRuns: 65 }],
  [{ memory: 3 } as object],
])("the limits %j are refused", (limits) => {
  expect(() => resolveRunnerOptions({ home, limits })).toThrow(
    expect.objectContaining({ code: "run-limit-invalid" }),
  );
});

test("an entry names one script exactly", () => {
  const allow = ["pdf:scripts/fill.py", "user:pdf:scripts/a b/c.sh"];
  expect(resolveRunnerOptions({ home, allow }).allow).toEqual(allow);
});

test.each([
  "",
  "pdf",
  "pdf:",
  ":scripts/x",
  "pdf:scripts/",
  "pdf:scripts/*/../x",
  "pdf:scripts//x",
  "pdf:bin/x",
  "*:scripts/x",
  " pdf:scripts/x",
  "pdf:scripts/x\n",
])("%j allows nothing and is refused", (entry) => {
  expect(() => resolveRunnerOptions({ home, allow: [entry] })).toThrow(
    expect.objectContaining({ code: "script-name-invalid" }),
  );
});

test("writable folders are known by their one path", () => {
  mkdirSync(join(root, "out"));
  symlinkSync(join(root, "out"), join(root, "link"));
  expect(
    resolveRunnerOptions({ home, writable: [join(root, "link"), join(root, "out", ".")] }).writable,
  ).toEqual([join(root, "out")]);
});

test("a folder is not writable when it is none, or the system's, or holds Skillet's own files", () => {
  writeFileSync(join(root, "file"), "");
  mkdirSync(join(home, "cache"));
  symlinkSync("/etc", join(root, "etc"));
  const folders = [
    "out",
    join(root, "none"),
    join(root, "file"),
    "/",
    "/etc",
    "/usr/lib",
    join(root, "etc"),
    home,
  ];
  for (const folder of [...folders, root, join(root, "project"), join(home, "cache")])
    expect(() => resolveRunnerOptions({ home, writable: [folder] })).toThrow(
      expect.objectContaining({ code: "writable-folder-refused" }),
    );
});

test("a home, or a folder that holds one, cannot be made writable, by any of its paths", () => {
  const person = join(root, "people", "ada");
  mkdirSync(join(person, "project"), { recursive: true });
  symlinkSync(join(root, "people"), join(root, "link"));
  vi.stubEnv("HOME", join(root, "link", "ada"));
  for (const folder of [person, join(root, "link", "ada"), join(root, "people")])
    expect(() => resolveRunnerOptions({ home, writable: [folder] })).toThrow(
      expect.objectContaining({
        code: "writable-folder-refused",
        message: expect.stringContaining("a user's home; grant the folder of a project instead"),
      }),
    );
  const project = join(person, "project");
  expect(resolveRunnerOptions({ home, writable: [project] }).writable).toEqual([project]);
  vi.unstubAllEnvs();
});

test("network grants are read, and wrong ones refused", () => {
  expect(resolveRunnerOptions({ home, network: ["api.example.org"] }).network).toEqual([
    { host: "api.example.org" },
  ]);
  expect(() => resolveRunnerOptions({ home, network: ["*"] })).toThrow(
    expect.objectContaining({ code: "network-grant-invalid" }),
  );
});
