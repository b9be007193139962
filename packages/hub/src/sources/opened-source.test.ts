import { expect, test } from "vitest";
import { openTree } from "./fetch-context.ts";

const FILES = [
  { path: "b", mode: "755", bytes: Buffer.from("two") },
  { path: "a", mode: "644", bytes: Buffer.from("1") },
] as const;
const RESOLVED = { kind: "local", path: "/x" } as const;

test("files in memory are listed in byte order and read in the order asked for", async () => {
  const opened = openTree({ resolved: RESOLVED, identity: "owner/repo", files: FILES });
  expect(opened).toMatchObject({ resolved: RESOLVED, identity: "owner/repo", diagnostics: [] });
  expect(opened.entries).toEqual([
    { path: "a", mode: "644", size: 1 },
    { path: "b", mode: "755", size: 3 },
  ]);
  expect(await opened.read(["b", "a", "b"])).toEqual([FILES[0], FILES[1], FILES[0]]);
});

test("what is not there, and what is closed, cannot be read", async () => {
  const opened = openTree({ resolved: RESOLVED, files: FILES });
  await expect(opened.read(["a", "__proto__"])).rejects.toMatchObject({ code: "source-entry-missing" });
  await opened.close();
  await expect(opened.read(["a"])).rejects.toMatchObject({ code: "source-closed" });
});
