import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { learnedPath, MAX_LEARNED_BYTES, readLearned, writeLearned } from "./learned-file.ts";

const TEXT = "version: 1\nskills:\n  pdf: { threshold: 0.5 }\n";

test("a home without a file has learned nothing, and reading makes none", () => {
  const home = join(temporaryDirectory(), "home");
  expect(readLearned(home)).toEqual({
    file: learnedPath(home),
    learned: { skills: new Map() },
    diagnostics: [],
  });
  expect(() => statSync(home)).toThrow("ENOENT");
});

test("what is written for its owner alone is read back", async () => {
  const home = join(temporaryDirectory(), "home");
  await writeLearned(home, { text: TEXT, replaces: undefined });
  expect(statSync(learnedPath(home)).mode & 0o777).toBe(0o600);
  expect(readLearned(home)).toMatchObject({ text: TEXT, diagnostics: [] });
  await writeLearned(home, { text: "version: 1\n", replaces: TEXT });
  expect(readFileSync(learnedPath(home), "utf8")).toBe("version: 1\n");
});

test("a file that changed since it was shown is not replaced", async () => {
  const home = temporaryDirectory();
  writeFileSync(learnedPath(home), TEXT);
  for (const replaces of [undefined, "version: 1\n"])
    await expect(writeLearned(home, { text: "skills: {}\n", replaces })).rejects.toMatchObject({
      code: "learned-changed",
    });
  expect(readFileSync(learnedPath(home), "utf8")).toBe(TEXT);
});

test("a file that cannot be read teaches nothing, says so, and is not replaced", async () => {
  const contents: readonly (string | Uint8Array)[] = [
    new Uint8Array([0xff, 0xfe]),
    "#".repeat(MAX_LEARNED_BYTES + 1),
  ];
  for (const content of contents) {
    const home = temporaryDirectory();
    writeFileSync(learnedPath(home), content);
    expect(readLearned(home)).toMatchObject({ diagnostics: [{ code: "learned-unreadable" }] });
    await expect(writeLearned(home, { text: TEXT, replaces: undefined })).rejects.toMatchObject({
      code: "learned-changed",
    });
  }
  const home = temporaryDirectory();
  mkdirSync(learnedPath(home));
  expect(readLearned(home)).toMatchObject({ diagnostics: [{ code: "learned-unreadable" }] });
});

test("a text that could not be read back is not written", async () => {
  const home = temporaryDirectory();
  const text = `#${"x".repeat(MAX_LEARNED_BYTES)}`;
  await expect(writeLearned(home, { text, replaces: undefined })).rejects.toMatchObject({
    code: "file-too-large",
  });
});
