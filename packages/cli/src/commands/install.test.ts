import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { expect, onTestFinished, test } from "vitest";
import { typedSource, withPickHint } from "./install.ts";

function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillet-typed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["reviews.zip", "a.skill", "-x.zip"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "owner/repo.zip"), { recursive: true });
  mkdirSync(join(folder, "folder.zip"));
  return folder;
}

test.each([
  ["reviews.zip", "./reviews.zip"],
  ["a.skill", "./a.skill"],
  ["missing.zip", "missing.zip"],
  ["folder.zip", "folder.zip"],
  ["owner/repo.zip", "owner/repo.zip"],
  ["-x.zip", "-x.zip"],
  ["https://x.test/reviews.zip", "https://x.test/reviews.zip"],
])("%s means %s", (text, meant) => {
  expect(typedSource(text, { workspace: workspace() })).toBe(meant);
});

const failing = (source: string, code: string): Promise<unknown> =>
  withPickHint({ workspace: workspace() }, source, async () => {
    throw new SkilletError(code, "It is not there.");
  }).catch((error: unknown) => error);

test("whoever writes a name behind an address with @ alone is told how it is picked", async () => {
  const error = await failing("file:///srv/skills@pdf", "git-not-found");
  expect(error).toMatchObject({
    code: "git-not-found",
    message: expect.stringContaining("/srv/skills#@pdf"),
  });
  expect(error).toMatchObject({ message: expect.stringContaining("--skill pdf") });
});

test("a local folder written like a repository is answered with how to write its path", async () => {
  const { message } = (await failing("folder.zip", "http-unreachable")) as Error;
  expect(message).toBe("It is not there. For the folder of this name here, write ./folder.zip.");
});

test.each([
  ["https://me:se/cret@x.test", "source-credentials"],
  ["https://me:se/cret@x.test/y@pdf", "git-not-found"],
  ["https://x.test/y", "git-not-found"],
])("of %s after %s nothing is repeated", async (source, code) => {
  expect(await failing(source, code)).toMatchObject({ message: "It is not there." });
});
