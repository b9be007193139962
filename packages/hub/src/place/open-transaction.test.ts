import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { closeTransaction, isOpenTransaction, isSealed, openTransaction, sealText } from "./journal.ts";

const [FIRST, SECOND] = ["1".repeat(32), "2".repeat(32)] as const;

test("of a lock the transaction that was opened last is under way, until it is closed", async () => {
  const folder = join(temporaryDirectory(), "store");
  const opened = (lock: string) => [FIRST, SECOND].map((id) => isOpenTransaction(folder, lock, id));
  expect(opened("/a/skillet.lock")).toEqual([false, false]);
  await openTransaction(folder, "/a/skillet.lock", FIRST);
  await openTransaction(folder, "/a/skillet.lock", SECOND);
  expect([opened("/a/skillet.lock"), opened("/b/skillet.lock")]).toEqual([
    [false, true],
    [false, false],
  ]);
  await closeTransaction(folder, "/a/skillet.lock");
  await closeTransaction(folder, "/a/skillet.lock");
  expect([opened("/a/skillet.lock"), readdirSync(folder)]).toEqual([[false, false], []]);
});

test("it is known by whatever path the lock is reached", async () => {
  const [folder, project] = [join(temporaryDirectory(), "store"), temporaryDirectory()];
  const alias = join(temporaryDirectory(), "alias");
  symlinkSync(project, alias);
  await openTransaction(folder, join(alias, "skillet.lock"), FIRST);
  expect(isOpenTransaction(folder, join(project, "skillet.lock"), FIRST)).toBe(true);
  await closeTransaction(folder, join(project, "skillet.lock"));
  expect(readdirSync(folder)).toEqual([]);
});

test("where something else lies in place of the note, nothing is under way", async () => {
  const folder = join(temporaryDirectory(), "store");
  await openTransaction(folder, "/a/skillet.lock", FIRST);
  const [name] = readdirSync(folder);
  await closeTransaction(folder, "/a/skillet.lock");
  mkdirSync(join(folder, name!));
  expect(isOpenTransaction(folder, "/a/skillet.lock", FIRST)).toBe(false);
});

test("a seal holds for its text and its folder alone", async () => {
  const [folder, other] = [join(temporaryDirectory(), "a"), join(temporaryDirectory(), "b")];
  const seal = await sealText(folder, "text");
  await sealText(other, "text");
  expect(isSealed(folder, "text", seal)).toBe(true);
  expect(isSealed(folder, "text2", seal)).toBe(false);
  expect(isSealed(other, "text", seal)).toBe(false);
  expect(isSealed(folder, "text", "")).toBe(false);
  expect(isSealed(join(folder, "absent"), "text", seal)).toBe(false);
});

test("of many that begin at once one key stays", async () => {
  const folder = temporaryDirectory();
  const seals = await Promise.all(Array.from({ length: 20 }, () => sealText(folder, "text")));
  expect(new Set(seals).size).toBe(1);
  expect(readdirSync(folder)).toEqual(["journal.key"]);
});
