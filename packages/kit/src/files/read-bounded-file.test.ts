import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { readBoundedFile } from "./read-bounded-file.ts";

const LIMIT = { maxBytes: 8 };

test("a file is read whole up to the limit and refused beyond it", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "fits"), "12345678");
  writeFileSync(join(directory, "large"), "123456789");
  writeFileSync(join(directory, "empty"), "");
  expect(String.fromCharCode(...readBoundedFile(join(directory, "fits"), LIMIT)!)).toBe("12345678");
  expect(readBoundedFile(join(directory, "empty"), LIMIT)).toEqual(new Uint8Array());
  expect(() => readBoundedFile(join(directory, "large"), LIMIT)).toThrow("is larger than 8 bytes");
});

test("a missing file, also below a file, is undefined", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "a"), "");
  expect(readBoundedFile(join(directory, "b"), LIMIT)).toBeUndefined();
  expect(readBoundedFile(join(directory, "a/b"), LIMIT)).toBeUndefined();
});

test("a link is followed to its file, and one to nowhere is an error rather than a missing file", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "file"), "x");
  symlinkSync("file", join(directory, "link"));
  symlinkSync("nowhere", join(directory, "dangling"));
  symlinkSync("loop", join(directory, "loop"));
  expect(readBoundedFile(join(directory, "link"), LIMIT)).toEqual(new Uint8Array([120]));
  expect(() => readBoundedFile(join(directory, "dangling"), LIMIT)).toThrow(
    "is a link to a file that does not exist",
  );
  expect(() => readBoundedFile(join(directory, "loop"), LIMIT)).toThrow("(ELOOP)");
});

test("a link is an error where links are refused, whatever it leads to", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "file"), "x");
  symlinkSync("file", join(directory, "link"));
  const options = { ...LIMIT, links: "refuse" } as const;
  expect(readBoundedFile(join(directory, "file"), options)).toEqual(new Uint8Array([120]));
  expect(() => readBoundedFile(join(directory, "link"), options)).toThrow("is a link");
});

test("a folder, a FIFO and a device are refused without waiting", () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "folder"));
  execFileSync("mkfifo", [join(directory, "fifo")]);
  symlinkSync("/dev/zero", join(directory, "device"));
  for (const name of ["folder", "fifo", "device"]) {
    expect(() => readBoundedFile(join(directory, name), LIMIT)).toThrow("is not a regular file");
  }
});

test.skipIf(process.platform !== "linux")("a file that reports no size is still held to the limit", () => {
  expect(() => readBoundedFile("/proc/self/status", LIMIT)).toThrow("is larger than 8 bytes");
  expect(readBoundedFile("/proc/self/status", { maxBytes: 65536 })!.length).toBeGreaterThan(8);
});
