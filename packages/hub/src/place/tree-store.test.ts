import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeDigestOf } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asOrdinaryUser } from "../testing/as-ordinary-user.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { skillFiles } from "./testing/sandbox-project.ts";
import { decodeTree, encodeTree, TreeStore } from "./tree-store.ts";

describe("TreeStore", () => {
  test("gives back exactly what was put, and nothing for what was not", async () => {
    const store = new TreeStore(join(temporaryDirectory(), "store"));
    const files = skillFiles("pdf", "1");
    const digest = await store.put(files);
    expect(digest).toBe(treeDigestOf(files));
    const found = await store.get(digest);
    expect(found?.map(({ path, mode, bytes }) => [path, mode, Buffer.from(bytes).toString()])).toEqual(
      files.map(({ path, mode, bytes }) => [path, mode, Buffer.from(bytes).toString()]),
    );
    expect(await store.get(`sha256:${"0".repeat(64)}`)).toBeUndefined();
    expect(await store.put(files)).toBe(digest);
    expect(readdirSync(store.folder)).toEqual([`${digest.slice(7)}.tree`]);
  });

  test.each(["a changed byte", "a cut", "emptiness", "a folder"])(
    "a tree damaged by %s is absent, removed, and can be put again",
    async (damage) => {
      const store = new TreeStore(join(temporaryDirectory(), "store"));
      const files = skillFiles("pdf", "1");
      const digest = await store.put(files);
      const path = join(store.folder, `${digest.slice(7)}.tree`);
      const bytes = readFileSync(path);
      if (damage === "a changed byte") {
        bytes[bytes.length - 3]! ^= 1;
        writeFileSync(path, bytes);
      } else if (damage === "a folder") {
        const other = new TreeStore(join(temporaryDirectory(), "store"));
        mkdirSync(join(other.folder, `${digest.slice(7)}.tree`, "x"), { recursive: true });
        expect(await other.get(digest)).toBeUndefined();
        expect(readdirSync(other.folder)).toEqual([]);
        return;
      } else truncateSync(path, damage === "a cut" ? bytes.length - 1 : 0);
      expect(await store.get(digest)).toBeUndefined();
      expect(readdirSync(store.folder)).toEqual([]);
      await store.put(files);
      expect(await store.get(digest)).toBeDefined();
    },
  );

  test("a digest that is none never becomes a path", async () => {
    const store = new TreeStore(temporaryDirectory());
    await expect(store.get("sha256:../../etc/passwd")).rejects.toMatchObject({ code: "digest-invalid" });
  });

  test("a folder that cannot be written is an error that says so", async () => {
    const folder = temporaryDirectory();
    chmodSync(folder, 0o500);
    await asOrdinaryUser([folder], async () => {
      await expect(new TreeStore(folder).put(skillFiles("a", "1"))).rejects.toMatchObject({
        code: "store-unwritable",
      });
    });
  });
});

describe("the form of a stored tree", () => {
  const file = fc.record({
    path: fc.string({ unit: "binary", minLength: 1 }),
    mode: fc.constantFrom("644" as const, "755" as const),
    bytes: fc.uint8Array({ maxLength: 30 }),
  });

  test("is read back as it was, whatever paths and bytes", () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 5 }), (files) => {
        const read = decodeTree(encodeTree(files));
        expect(read?.map((each) => ({ ...each, bytes: Uint8Array.from(each.bytes) }))).toEqual(files);
      }),
    );
  });

  test("anything else is nothing, and never throws", () => {
    fc.assert(
      fc.property(
        fc.array(file, { maxLength: 3 }),
        fc.nat(),
        fc.uint8Array({ maxLength: 4 }),
        (files, at, bytes) => {
          const whole = Buffer.from(encodeTree(files));
          const cut = at % whole.length;
          decodeTree(Buffer.concat([whole.subarray(0, cut), bytes, whole.subarray(cut)]));
          expect(decodeTree(whole.subarray(0, cut))).toBeUndefined();
        },
      ),
    );
  });
});
