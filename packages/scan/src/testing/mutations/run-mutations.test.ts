import { beforeAll, expect, test } from "vitest";
import { type Mutation, runMutations } from "./run-mutations.ts";

let mutations: readonly Mutation[] = [];
beforeAll(async () => {
  mutations = await runMutations();
});

const DISGUISES = 10;
const plain = (): readonly Mutation[] => mutations.filter(({ disguise }) => disguise === "");
const disguised = (): readonly Mutation[] => mutations.filter(({ disguise }) => disguise !== "");
const name = ({ kind, attack, disguise, verdict }: Mutation): string =>
  `${kind}: ${attack}${disguise === "" ? "" : ` (${disguise})`} is ${verdict}`;

test("there are forty attacks, each in ten disguises", () => {
  expect(plain().length).toBeGreaterThanOrEqual(40);
  expect(disguised()).toHaveLength(plain().length * DISGUISES);
});

test("every attack is dangerous as it is", () => {
  expect(
    plain()
      .filter(({ verdict }) => verdict !== "dangerous")
      .map(name),
  ).toEqual([]);
});

test("of disguised attacks nine in ten are dangerous, and nineteen in twenty ask for caution at least", () => {
  const notDangerous = disguised().filter(({ verdict }) => verdict !== "dangerous");
  const safe = disguised().filter(({ verdict }) => verdict === "safe");
  // The names stand there only when there are too many.
  expect(notDangerous.length > disguised().length * 0.1 ? notDangerous.map(name) : []).toEqual([]);
  expect(safe.length > disguised().length * 0.05 ? safe.map(name) : []).toEqual([]);
});

// Programs and functions keep the case that they are called by.
const NAME = /^[A-Z]{2}\d+: (?:npx|npm|pip|(?:ba)?sh|exec|eval|(?:os|subprocess|child_process)\.\w+) /;

test("messages start like sentences and end without a full stop", () => {
  const all = new Set(mutations.flatMap(({ messages }) => messages));
  const wrong = Array.from(all).filter(
    (message) => !NAME.test(message) && !/^[A-Z]{2}\d+: [^\p{Ll}]/u.test(message),
  );
  expect([...wrong, ...Array.from(all).filter((message) => /[^.]\.$|\s$/.test(message))]).toEqual([]);
});
