import { expect, test } from "vitest";
import type { Skill } from "../../core/src/registry/skill.ts";
import { createSelector } from "./create-selector.ts";
import type { Selector } from "./selector.ts";
import { makeSkill, writeHeader } from "./testing/make-skill.ts";
import { type AskedSkill, makeAskedSkills } from "./testing/varied-library.ts";

const asked = makeAskedSkills(160);
const honest = asked.map(({ skill }) => skill);

const open = (...more: readonly Skill[]): Promise<Selector> => createSelector([...honest, ...more]);

const withPatterns = (
  name: string,
  patterns: readonly string[],
  {
    origin = "local",
    lines = [],
  }: { readonly origin?: Skill["origin"]; readonly lines?: readonly string[] } = {},
): Skill => {
  const list = patterns.map((pattern) => `    - ${JSON.stringify(pattern)}`);
  return {
    ...makeSkill(writeHeader(name, "Helps.", [...lines, "triggers:", "  patterns:", ...list])),
    origin,
  };
};

/** Whose own skill is activated by its own message. */
const activated = (selector: Selector): readonly AskedSkill[] =>
  asked.filter(({ skill, message }) => selector.decide(message).activate.some((one) => one.skill === skill));

test.each([".", "\\w", ".*", "e|a|i|o"])(
  "a pattern for everything, %j, calls its skill for nothing",
  async (pattern) => {
    const greedy = withPatterns("grab", [pattern]);
    const selector = await open(greedy);
    for (const { message } of asked.slice(0, 40)) {
      const { activate, suggest } = selector.decide(message);
      expect([...activate, ...suggest].map(({ skill }) => skill)).not.toContain(greedy);
    }
    expect(selector.decide("thanks, that is all").action).toBe("nothing");
    expect(selector.diagnostics.map(({ code }) => code)).toEqual(["trigger-pattern-catch-all"]);
  },
);

test("a pattern of a stranger is worth a suggestion and no activation, where nothing else speaks for the skill", async () => {
  const stranger = withPatterns("grab", ["[0-9]{4}"], { origin: "community" });
  const selector = await open(stranger);
  const { activate, suggest } = selector.decide("what happened in 1848?");
  expect(activate).toEqual([]);
  expect(suggest.map(({ skill }) => skill)).toEqual([stranger]);
  const own = await open({ ...stranger, origin: "local" });
  expect(own.decide("what happened in 1848?").activate.map(({ skill }) => skill.name)).toEqual(["grab"]);
});

test("a pattern of a stranger helps what fits anyway", async () => {
  const lines = ["triggers:", "  patterns:", '    - "OPS-[0-9]+"'];
  const text = writeHeader("ticket-reader", "Reads support tickets and sums them up for the team.", lines);
  const reader: Skill = { ...makeSkill(text), origin: "community" };
  const selector = await open(reader);
  const scoreOf = (message: string): number =>
    selector.select(message).find(({ skill }) => skill === reader)?.score ?? 0;
  expect(scoreOf("sum up the support ticket OPS-1234")).toBeGreaterThan(
    scoreOf("sum up the support ticket 1234"),
  );
});

test.each<[string, Skill]>([
  ["matches by a pattern", withPatterns("grab", ["[aeiou][bcd]|[t-z]{2}|er"])],
  [
    "only people start and that matches by a pattern",
    withPatterns("grab", ["er|an"], { lines: ["disable-model-invocation: true"] }),
  ],
])("a skill that %s takes no activation from others", async (_, greedy) => {
  const before = activated(await open());
  expect(before.length).toBeGreaterThan(20);
  const after = activated(await open(greedy));
  expect(after.length).toBeGreaterThanOrEqual(before.length - 1);
});

test("skills that only people start hide none that a model may use, however many and however near", async () => {
  const before = await open();
  let tried = 0;
  let kept = 0;
  for (const { skill, message } of asked.slice(0, 30)) {
    if (!before.decide(message).activate.some((one) => one.skill === skill)) continue;
    tried += 1;
    const { description } = skill.manifest;
    const copies = Array.from({ length: 10 }, (_, index) =>
      makeSkill(
        writeHeader(skill.name.replace(/-\d+$/, ""), `${description}${" ".repeat(index)}`, [
          "disable-model-invocation: true",
        ]),
        { qualifiedName: `p${index}:copy` },
      ),
    );
    const { activate, suggest } = (await open(...copies)).decide(message);
    if (activate.some((one) => one.skill === skill)) kept += 1;
    expect([...activate, ...suggest].map((one) => one.skill)).toContain(skill);
  }
  expect(tried).toBeGreaterThan(4);
  // Eleven skills with the same words make these less rare, which may cost those that were just likely enough.
  expect(kept).toBeGreaterThanOrEqual(tried - 2);
});

const TICKETS = "Reads support tickets from the tracker and sums them up for the team.";
const ASK = "read the support tickets from the tracker and sum them up";

test("one skill installed several times is activated once, the one that is vouched for or that the message names", async () => {
  const text = writeHeader("ticket-reader", TICKETS);
  const copies = ["a", "b", "c", "d"].map(
    (plugin): Skill => ({
      ...makeSkill(text, { qualifiedName: `${plugin}:ticket-reader` }),
      origin: plugin === "c" ? "trusted" : "community",
    }),
  );
  const selector = await open(...copies);
  const names = (message: string): readonly string[] =>
    selector.decide(message).activate.map(({ skill }) => skill.qualifiedName);
  expect(names(ASK)).toEqual(["c:ticket-reader"]);
  expect(names(`$b:ticket-reader ${ASK}`)[0]).toBe("b:ticket-reader");
  expect(selector.decide(ASK).suggest.map(({ skill }) => skill.name)).not.toContain("ticket-reader");
});

test("copies make a skill no less sure, and leave room for others among the first", async () => {
  const original = makeSkill(writeHeader("ticket-reader", TICKETS));
  const alone = (await open(original)).select(ASK)[0];
  const copies = Array.from({ length: 50 }, (_, index) =>
    makeSkill(writeHeader(`x${index}-ticket-reader`, `${TICKETS} Really ${index}.`)),
  );
  const twice = (await open(original, copies[0] as Skill)).select(ASK)[0];
  expect(twice?.score).toBeGreaterThan((alone?.score ?? 1) - 0.05);
  const found = (await open(original, ...copies)).select(ASK, { limit: 10 });
  expect(found.filter(({ skill }) => skill.name.includes("ticket")).length).toBe(2);
});

test("a stranger's copy with a better name does not take the messages of the original", async () => {
  const original = makeSkill(writeHeader("trk-7", TICKETS));
  const copy: Skill = { ...makeSkill(writeHeader("support-tickets", TICKETS)), origin: "community" };
  const selector = await open(original, copy);
  expect(selector.decide(ASK).activate.map(({ skill }) => skill)).toEqual([original]);
  expect(selector.select(ASK, { limit: 1 })[0]?.skill).toBe(original);
  const equal = await open(original, { ...copy, origin: "local" });
  expect(equal.select(ASK, { limit: 1 })[0]?.skill.name).toBe("support-tickets");
});

test("a copy that says it is not for what the original is for does not silence it", async () => {
  const original = makeSkill(writeHeader("ticket-reader", TICKETS));
  const evil = makeSkill(
    writeHeader("a-ticket-reader", `${TICKETS} Not for support tickets from the tracker.`),
  );
  const { activate, suggest } = (await open(original, evil)).decide(ASK);
  expect([...activate, ...suggest].map(({ skill }) => skill)).toContain(original);
});

test("headers that differ in a word of the message are not copies for it", async () => {
  const about = "an invoice for the accountant, checks the tax rates and files it with the rest of the year";
  const draft = makeSkill(writeHeader("inv-1", `Drafts ${about}.`));
  const shred = makeSkill(writeHeader("inv-2", `Shreds ${about}.`));
  const selector = await open({ ...draft, origin: "community" }, shred);
  const ask = (verb: string): string | undefined =>
    selector.select(`${verb} an invoice for the accountant and check the tax rates`)[0]?.skill.name;
  expect(ask("draft")).toBe("inv-1");
  expect(ask("shred")).toBe("inv-2");
});

test("two headers of the same words in another order are two skills", async () => {
  const forth = makeSkill(
    writeHeader("forth", "Converts slides to a handout for the people who were not there."),
  );
  const back = makeSkill(
    writeHeader("back", "Converts a handout to slides, who were not there for the people."),
  );
  const selector = await open(forth, back);
  const names = selector
    .select("convert slides to a handout for people who were not there")
    .map(({ skill }) => skill.name);
  expect(names.slice(0, 2).toSorted()).toEqual(["back", "forth"]);
});

test("five hundred skills with a pattern each do not take away the pattern of another", async () => {
  const flood = Array.from({ length: 500 }, (_, index) => withPatterns(`aaa-${index}`, [`zzz${index}`]));
  const strangers = Array.from({ length: 2_000 }, (_, index) =>
    withPatterns(`aab-${index}`, [`zzy${index}`], { origin: "community" }),
  );
  const victim = withPatterns("ticket-reader", ["\\bOPS-[0-9]+\\b"]);
  for (const others of [flood, strangers])
    expect((await open(...others, victim)).decide("what about OPS-1234").activate[0]?.skill).toBe(victim);
});

test("phrases that any message may have call nothing, in a small library too", async () => {
  const openers = [
    "can you",
    "could you",
    "i need",
    "i want to",
    "please",
    "how do i",
    "my",
    "using",
    "with",
    "this",
  ];
  const greedy = makeSkill(
    writeHeader("helper", "Helps.", ["triggers:", `  keywords: ${JSON.stringify(openers)}`]),
  );
  const few = asked.slice(0, 20);
  const selector = await createSelector([...few.map(({ skill }) => skill), greedy]);
  const taken = few.filter(({ message }) =>
    selector.decide(message).activate.some(({ skill }) => skill === greedy),
  );
  expect(taken.length).toBeLessThanOrEqual(1);
  for (const { skill, reasons } of few.flatMap(({ message }) => selector.select(message, { limit: 20 })))
    if (skill === greedy) expect(reasons.join()).not.toContain("phrase");
});
