import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { writeAtomic } from "./write-atomic.ts";

test("a new file gets the given mode and nothing else is left in the folder", async () => {
  const directory = temporaryDirectory();
  await writeAtomic(join(directory, "a"), "text", { mode: 0o640 });
  expect(readFileSync(join(directory, "a"), "utf8")).toBe("text");
  expect(statSync(join(directory, "a")).mode & 0o777).toBe(0o640);
  expect(readdirSync(directory)).toEqual(["a"]);
});

test("an existing file keeps its mode", async () => {
  const file = join(temporaryDirectory(), "a");
  writeFileSync(file, "old");
  chmodSync(file, 0o604);
  await writeAtomic(file, new Uint8Array([1, 2, 3]), { mode: 0o600 });
  expect([...readFileSync(file)]).toEqual([1, 2, 3]);
  expect(statSync(file).mode & 0o777).toBe(0o604);
});

test("the file is replaced, not written in place: an open reader keeps the old bytes", async () => {
  const file = join(temporaryDirectory(), "a");
  writeFileSync(file, "old");
  const before = statSync(file).ino;
  await writeAtomic(file, "new");
  expect(statSync(file).ino).not.toBe(before);
});

test("a link stays a link and its target is written, also by a relative link in a linked folder", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "dotfiles/skillet"), { recursive: true });
  writeFileSync(join(directory, "dotfiles/real"), "old");
  symlinkSync("../real", join(directory, "dotfiles/skillet/config"));
  symlinkSync("dotfiles/skillet", join(directory, "home"));
  await writeAtomic(join(directory, "home/config"), "new");
  expect(readFileSync(join(directory, "dotfiles/real"), "utf8")).toBe("new");
  expect(readlinkSync(join(directory, "home/config"))).toBe("../real");
});

test("a link to a file that is not there yet creates it where the link points", async () => {
  const directory = temporaryDirectory();
  symlinkSync("later", join(directory, "a"));
  await writeAtomic(join(directory, "a"), "text");
  expect(lstatSync(join(directory, "later")).isFile()).toBe(true);
  expect(lstatSync(join(directory, "a")).isSymbolicLink()).toBe(true);
});

test("where links are refused, a link and what it leads to stay as they are", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "real"), "old");
  symlinkSync("real", join(directory, "a"));
  await expect(writeAtomic(join(directory, "a"), "new", { links: "refuse" })).rejects.toMatchObject({
    code: "link-refused",
    message: `${join(directory, "a")} is a link, so it was not written.`,
  });
  expect(readFileSync(join(directory, "real"), "utf8")).toBe("old");
  expect(readlinkSync(join(directory, "a"))).toBe("real");
  await writeAtomic(join(directory, "real"), "new", { links: "refuse" });
  expect(readFileSync(join(directory, "real"), "utf8")).toBe("new");
  expect(readdirSync(directory)).toEqual(["a", "real"]);
});

test("a loop of links and a folder are refused and nothing is left behind", async () => {
  const directory = temporaryDirectory();
  symlinkSync("b", join(directory, "a"));
  symlinkSync("a", join(directory, "b"));
  mkdirSync(join(directory, "c"));
  await expect(writeAtomic(join(directory, "a"), "")).rejects.toMatchObject({ code: "link-refused" });
  await expect(writeAtomic(join(directory, "c"), "")).rejects.toMatchObject({ code: "not-a-file" });
  expect(readdirSync(directory)).toEqual(["a", "b", "c"]);
});

test("a folder that does not exist is an error with the path in it", async () => {
  const file = join(temporaryDirectory(), "absent/a");
  await expect(writeAtomic(file, "")).rejects.toMatchObject({
    code: "file-unwritable",
    message: `${file} could not be written (ENOENT); check the folder's permissions and free space.`,
  });
});

test("a name as long as the file system allows can be written", async () => {
  const file = join(temporaryDirectory(), "n".repeat(255));
  await writeAtomic(file, "text");
  expect(readFileSync(file, "utf8")).toBe("text");
});
