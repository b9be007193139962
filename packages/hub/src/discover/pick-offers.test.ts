import { expect, test } from "vitest";
import type { OfferedItem } from "../plan-item.ts";
import { pickOffers } from "./pick-offers.ts";

const offer = (name: string, folder: string, more: Partial<OfferedItem> = {}): OfferedItem => ({
  state: "offered",
  kind: "skill",
  name,
  description: "",
  folder,
  internal: false,
  ...more,
});
const pick = (offers: readonly OfferedItem[], more: Partial<Parameters<typeof pickOffers>[1]> = {}) =>
  pickOffers(offers, { folder: "", names: [], all: false, source: "o/r", ...more });

test("a skill in the folder that was named is picked, whatever lies below it", async () => {
  const offers = [offer("root", ""), offer("inner", "inner")];
  expect(await pick(offers)).toEqual([offers[0]]);
});

test("of several plugins that begin at the root none is taken by itself", async () => {
  const offers = [offer("a", "", { kind: "plugin" }), offer("b", "", { kind: "plugin" })];
  await expect(pick(offers)).rejects.toMatchObject({ code: "choice-needed" });
});

test("one plugin at the root is what the source is, where the source holds nothing else", async () => {
  const plugin = offer("p", "", { kind: "plugin" });
  const own = offer("s", "skills/s", { plugin: "p" });
  expect(await pick([own, plugin])).toEqual([plugin]);
  for (const other of [offer("t", "skills/t"), offer("p", "skills/p"), offer("q", "q", { kind: "plugin" })])
    await expect(pick([own, other, plugin])).rejects.toMatchObject({
      code: "choice-needed",
      data: { names: expect.arrayContaining(["p", "s", other.name]) },
    });
});

test("a single offer needs no choice; several need one, and say what there is", async () => {
  expect(await pick([offer("a", "x/a")])).toHaveLength(1);
  await expect(pick([offer("a", "x/a"), offer("b", "x/b")])).rejects.toMatchObject({
    code: "choice-needed",
    data: { names: ["a", "b"] },
  });
});

test("a person chooses among the offers that are not internal", async () => {
  const offers = [offer("a", "x/a"), offer("b", "x/b"), offer("c", "x/c", { internal: true })];
  const seen: OfferedItem[] = [];
  const choose = async (shown: readonly OfferedItem[]) => {
    seen.push(...shown);
    return shown.slice(1);
  };
  expect(await pick(offers, { choose })).toEqual([offers[1]]);
  expect(seen.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("everything means every skill, and plugins only where there are no skills", async () => {
  const plugin = offer("p", "p", { kind: "plugin" });
  expect(await pick([offer("a", "a"), offer("b", "b"), plugin], { all: true })).toHaveLength(2);
  expect(await pick([plugin], { all: true })).toEqual([plugin]);
  await expect(pick([], { all: true })).rejects.toMatchObject({ code: "nothing-to-install" });
});

test("internal skills can be had by name only", async () => {
  const offers = [offer("hidden", "h", { internal: true })];
  await expect(pick(offers)).rejects.toMatchObject({ code: "nothing-to-install" });
  expect(await pick(offers, { names: ["hidden"] })).toEqual(offers);
});

test("a declared name beats a folder's, and a skill beats a plugin of the same name", async () => {
  const offers = [offer("other", "pdf"), offer("pdf", "x"), offer("pdf", "p", { kind: "plugin" })];
  expect(await pick(offers, { names: ["pdf"] })).toEqual([offers[1]]);
  expect(await pick(offers, { names: ["plugin:pdf"] })).toEqual([offers[2]]);
});

test("plugin:skill picks the skill of that plugin among others of its name", async () => {
  const offers = [offer("a", "one/a", { plugin: "one" }), offer("a", "two/a", { plugin: "two" })];
  expect(await pick(offers, { names: ["two:a"] })).toEqual([offers[1]]);
  await expect(pick(offers, { names: ["a"] })).rejects.toMatchObject({
    code: "offer-ambiguous",
    data: { folders: ["one/a", "two/a"] },
  });
});

test("a name that is not there is answered with those that are near", async () => {
  await expect(pick([offer("pdf-tools", "x")], { names: ["pdf-tool"] })).rejects.toMatchObject({
    code: "offer-not-found",
    data: { near: ["pdf-tools"] },
  });
});
