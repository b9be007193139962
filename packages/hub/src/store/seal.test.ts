import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { isSealed, sealText } from "./seal.ts";

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
