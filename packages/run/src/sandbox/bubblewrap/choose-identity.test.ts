import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Mount } from "./bubblewrap-arguments.ts";
import { chooseIdentity, dropRights } from "./choose-identity.ts";

const UNUSED = { uid: 61_500, gid: 61_500 };
const BASE = lstatSync(tmpdir(), { bigint: true });

function given(
  access: Mount["access"],
  { mode, uid, gid = uid, path = "/work" }: { mode: number; uid: number; gid?: number; path?: string },
): Mount {
  const stats = Object.assign(Object.create(BASE), {
    mode: BigInt(mode),
    uid: BigInt(uid),
    gid: BigInt(gid),
  });
  return { path, source: path, access, purpose: "given", stats };
}

test("root becomes an unused user where every user may use what is given", () => {
  expect(chooseIdentity([given("read-only", { mode: 0o40755, uid: 0 })], UNUSED)).toEqual(UNUSED);
  expect(chooseIdentity([given("writable", { mode: 0o41777, uid: 0 })], UNUSED)).toEqual(UNUSED);
});

test("root becomes the owner of a folder that only the owner can use", () => {
  expect(chooseIdentity([given("writable", { mode: 0o40755, uid: 1001, gid: 100 })], UNUSED)).toEqual({
    uid: 1001,
    gid: 100,
  });
  expect(chooseIdentity([given("read-only", { mode: 0o40700, uid: 1001 })], UNUSED)).toEqual({
    uid: 1001,
    gid: 1001,
  });
});

test("root stays root only for folders that no other user can use", () => {
  expect(chooseIdentity([given("writable", { mode: 0o40755, uid: 0 })], UNUSED)).toBe("caller");
  expect(chooseIdentity([given("read-only", { mode: 0o40700, uid: 0 })], UNUSED)).toBe("caller");
  const mixed = [
    given("writable", { mode: 0o40755, uid: 1001 }),
    given("writable", { mode: 0o40700, uid: 0 }),
  ];
  expect(chooseIdentity(mixed, UNUSED)).toBe("caller");
});

test("rights are given up before bubblewrap, and every source is moved to where the unused user can reach it", () => {
  const names = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.uniqueArray(
        names.map((parts) => `/${parts.join("/")}`),
        { minLength: 1 },
      ),
      (paths) => {
        const mounts = paths.map((path) => given("read-only", { mode: 0o40755, uid: 0, path }));
        const guard: Mount = {
          ...mounts[0]!,
          purpose: "guard",
          source: `${paths[0]}/.git`,
          path: `${paths[0]}/.git`,
        };
        const dropped = dropRights({
          bwrap: "/usr/bin/bwrap",
          setpriv: "/usr/bin/setpriv",
          identity: UNUSED,
          mounts: [...mounts, guard],
          place: "/mnt",
        });
        const command = dropped.prefix.join(" ");
        for (const [index, path] of paths.entries())
          expect(command).toContain(`--ro-bind ${path} /mnt/${index}`);
        expect(command).toMatch(/ -- \/usr\/bin\/setpriv --reuid=61500 --regid=61500 --clear-groups .* --$/);
        expect(dropped.mounts.map(({ source }) => /^\/mnt\/\d+(?:\/|$)/.test(source))).toEqual(
          dropped.mounts.map(() => true),
        );
        expect(dropped.mounts.map(({ path }) => path)).toEqual([...paths, `${paths[0]}/.git`]);
      },
    ),
  );
});
