import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeTree, WIRE_BLOCK_BYTES } from "./remote-tree.ts";

async function* given(files: readonly TreeFile[]): AsyncGenerator<TreeFile> {
  yield* files;
}

const segment = fc
  .string({
    unit: fc.constantFrom("a", "B", " ", "'", '"', "$", "é", "-", ".", "\\", "\n", "x".repeat(60)),
    minLength: 1,
    maxLength: 4,
  })
  .filter((name) => name !== "." && name !== ".." && Buffer.byteLength(name) < 250);
const file = fc.record({
  path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/")),
  mode: fc.constantFrom("644" as const, "755" as const),
  bytes: fc.uint8Array({ maxLength: 1500 }),
});
const link = fc.record({
  path: segment.map((name) => `links/${name}`),
  mode: fc.constant("120000" as const),
  bytes: fc.constantFrom("there", `${"long/".repeat(40)}x`).map((target) => Buffer.from(target)),
});
// One name is never the folder of another.
const tree = fc
  .uniqueArray(fc.oneof({ weight: 4, arbitrary: file }, link), { selector: ({ path }) => path, maxLength: 6 })
  .filter((files) => !files.some(({ path }) => files.some((other) => other.path.startsWith(`${path}/`))));

function listed(folder: string, prefix = ""): TreeFile[] {
  return readdirSync(join(folder, prefix)).flatMap((name): TreeFile[] => {
    const path = `${prefix}${name}`;
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) return listed(folder, `${path}/`);
    if (stats.isSymbolicLink())
      return [{ path, mode: "120000", bytes: Buffer.from(readlinkSync(join(folder, path))) }];
    return [{ path, mode: stats.mode & 0o100 ? "755" : "644", bytes: readFileSync(join(folder, path)) }];
  });
}

const comparable = (files: readonly TreeFile[]): string[] =>
  files.map(({ path, mode, bytes }) => `${path}|${mode}|${Buffer.from(bytes).toString("hex")}`).sort();

test("tar unpacks exactly the tree that was sent, and its length was known before", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (files) => {
      const described = await describeTree(() => given(files));
      const chunks: Uint8Array[] = [];
      for await (const chunk of described.archive()) chunks.push(chunk);
      const archive = Buffer.concat(chunks);
      expect(archive.length).toBe(described.blocks * WIRE_BLOCK_BYTES);
      const folder = mkdtempSync(join(tmpdir(), "skillet-tar-"));
      try {
        execFileSync("/bin/tar", ["-x", "-f", "-", "-C", folder], { input: archive });
        expect(comparable(listed(folder))).toEqual(comparable(files));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 25 },
  );
});

test("a tree that grew while it was sent is an error", async () => {
  const files: TreeFile[] = [{ path: "a", mode: "644", bytes: new Uint8Array(10) }];
  const { archive } = await describeTree(() => given(files));
  files.push({ path: "b", mode: "644", bytes: new Uint8Array(WIRE_BLOCK_BYTES) });
  await expect(async () => {
    for await (const _ of archive());
  }).rejects.toMatchObject({ code: "sandbox-unavailable" });
});
