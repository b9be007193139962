import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Skill } from "../../core/src/registry/skill.ts";
import { createSelector } from "./create-selector.ts";
import type { Selector } from "./selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "./testing/make-skill.ts";

const pdf = makeSkill(
  writeHeader(
    "pdf-forms",
    'Fills in PDF forms. Use when the user says "fill this form". Do NOT use for scans.',
  ),
);
const backport = makeSkill(
  writeHeader("backporter", "Moves commits between release branches.", [
    `when_to_use: 'Whenever a user says "backport this fix" or names a stable branch'`,
  ]),
);
const hidden = makeSkill(
  writeHeader("wire-money", "Transfers money to a bank account.", ["disable-model-invocation: true"]),
);
const patterned = makeSkill(
  writeHeader("ticket-reader", "Reads tickets.", [
    "triggers:",
    "  patterns:",
    '    - "\\\\bOPS-[0-9]+\\\\b"',
  ]),
);
const chinese = makeSkill(writeHeader("fanyi", "把字幕文件翻译成中文，保留时间轴。"));
const library = [...makeLibrary(200), pdf, backport, hidden, patterned, chinese];

let selector: Selector;
let folder: string;
beforeAll(async () => {
  selector = await createSelector(library);
  folder = mkdtempSync(join(tmpdir(), "skillet-select-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const best = (message: string, from: Selector = selector): string | undefined =>
  from.select(message, { limit: 1 })[0]?.skill.name;

test("the skill that a message is about comes first, with the reasons in words", () => {
  const [first] = selector.select("please backport this fix to the stable branch");
  expect(first?.skill.name).toBe("backporter");
  expect(first?.reasons[0]).toBe("phrase 'backport this fix' in when_to_use");
  const [form] = selector.select("can you fill this form, application.pdf");
  expect(form?.skill.name).toBe("pdf-forms");
  expect(form?.reasons).toContain("phrase 'fill this form' in description");
});

test("spelling mistakes and other scripts find their skill", () => {
  expect(best("pleaze fil in thees pdf froms")).toBe("pdf-forms");
  expect(best("帮我翻译这个字幕文件")).toBe("fanyi");
});

test("scores are probabilities, ordered, and the same every time", () => {
  const message = "convert the invoice with pandoc";
  const found = selector.select(message, { limit: 20 });
  expect(found.length).toBe(20);
  for (const { score } of found) expect(score > 0 && score < 1).toBe(true);
  expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
  expect(selector.select(message, { limit: 20 })).toEqual(found);
});

test("a mention and a declared pattern are certain", () => {
  expect(selector.decide("use $ticket-reader now").activate[0]?.skill.name).toBe("ticket-reader");
  const decision = selector.decide("what is up with OPS-1234?");
  expect(decision.activate.map(({ skill }) => skill.name)).toEqual(["ticket-reader"]);
  expect(decision.activate[0]?.reasons[0]).toBe("pattern `\\bOPS-[0-9]+\\b` in triggers");
});

test("a pattern that the linear engine does not read never matches and stops nothing", async () => {
  const odd = makeSkill(writeHeader("odd", "Odd.", ["triggers:", "  patterns:", '    - "(?=x)(a+)+$("']));
  const own = await createSelector([odd, pdf]);
  expect(own.decide("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa x").action).toBe("nothing");
});

test("patterns that never match are diagnostics of the selector, and good ones are none", async () => {
  const odd = makeSkill(writeHeader("odd", "Odd.", ["triggers:", "  patterns:", '    - "(?<=x)y"']));
  const own = await createSelector([odd, pdf, patterned]);
  expect(own.diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ["trigger-pattern-unreadable", odd.path],
  ]);
  expect(own.among(({ name }) => name !== "odd").diagnostics).toEqual([]);
});

test("a file that the message names counts against the paths of skills, also where no word is shared", async () => {
  const typed = makeSkill(
    writeHeader("component-care", "Looks after components.", ['paths: ["**/*.{tsx,jsx}"]']),
  );
  const other = makeSkill(writeHeader("component-art", "Looks after components."));
  const own = await createSelector([other, typed, ...makeLibrary(50)]);
  const [first] = own.select("look after the components in src/app.tsx");
  expect(first?.skill.name).toBe("component-care");
  expect(first?.reasons).toContain("a file of the message fits its paths");
  expect(first?.reasons).toContain("extension .tsx");
  const names = own.select("what about src/app.tsx", { limit: 50 }).map(({ skill }) => skill.name);
  expect(names).toContain("component-care");
});

test("a skill that forbids the model to invoke it is never activated", () => {
  const decision = selector.decide("/wire-money transfer money to this bank account");
  expect(decision.activate.map(({ skill }) => skill.name)).not.toContain("wire-money");
  expect(decision.suggest[0]?.skill.name).toBe("wire-money");
});

test("a message about nothing gives nothing", () => {
  for (const message of ["", " ", "ok", "\u0000\u0007", "!!!", "thanks, that is all"])
    expect(selector.decide(message).action, message).toBe("nothing");
});

test("examples of the author move what the skill is called for", async () => {
  const message = "the paperwork for the tax office is due";
  const examples = new Map([
    [
      "pdf-forms",
      [
        { message: "do the paperwork for the tax office", shouldTrigger: true },
        { message: "paperwork due for the office", shouldTrigger: true },
        { message: "read this scan", shouldTrigger: false },
      ],
    ],
  ]);
  const withText = makeSkill(writeHeader("pdf-forms", "Fills in PDF forms and paperwork."));
  const scoreOf = (from: Selector): number =>
    from.select(message, { limit: 20 }).find(({ skill }) => skill.name === "pdf-forms")?.score ?? 0;
  const plain = await createSelector([withText, ...makeLibrary(50)]);
  const taught = await createSelector([withText, ...makeLibrary(50)], { examples });
  expect(scoreOf(taught)).toBeGreaterThan(scoreOf(plain));
});

test("recent use lifts a skill and is said, being ignored lowers one", () => {
  const message = "convert the invoice";
  const [first, second] = selector.select(message);
  const context = {
    recentUse: { now: 1000, uses: new Map([[second!.skill.qualifiedName, { lastUsedAt: 1000, count: 9 }]]) },
  };
  const after = selector.select(message, { context });
  expect(after[0]?.skill).toBe(second!.skill);
  expect(after[0]?.reasons).toContain("used recently");
  const ignored = selector.select(message, {
    context: { ignored: new Map([[first!.skill.qualifiedName, 4]]) },
  });
  expect(ignored[0]?.skill).not.toBe(first!.skill);
});

test("an index that was kept gives the same answers, and only skills that changed are read again", async () => {
  const cacheFile = join(folder, "kept.idx");
  const read: string[] = [];
  const readBody = (skill: Skill): string => {
    read.push(skill.name);
    return "# Body\n\nAbout quokkas.\n";
  };
  const messages = ["fill this form", "deploy the cluster with kubectl", "quokkas"];
  const first = await createSelector(library, { cacheFile, readBody });
  expect(read.length).toBe(library.length);
  read.length = 0;
  const second = await createSelector(library, { cacheFile, readBody });
  expect(read).toEqual([]);
  for (const message of messages) expect(second.select(message)).toEqual(first.select(message));
  const changed = makeSkill(writeHeader("pdf-forms", "Fills in zebra questionnaires."));
  const third = await createSelector(
    [...library.filter((skill) => skill !== pdf && skill !== backport), changed],
    { cacheFile, readBody },
  );
  expect(read).toEqual(["pdf-forms"]);
  expect(best("zebra questionnaires", third)).toBe("pdf-forms");
  expect(third.select("backport this fix", { limit: 100 }).map(({ skill }) => skill.name)).not.toContain(
    "backporter",
  );
});

test("any text at all is answered", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (message) => {
      for (const { score } of selector.select(message)) expect(Number.isFinite(score)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a file at hand calls the skill that is bound to it, where no word of the message does", async () => {
  const image = makeSkill(writeHeader("image-resize", "Scales pictures to a size.", ['paths: ["**/*.png"]']));
  const selector = await createSelector([...makeLibrary(200), image]);
  const found = (context: { readonly files?: readonly string[] }): boolean =>
    selector.select("frobnicate zzz", { limit: 10, context }).some(({ skill }) => skill === image);
  expect(found({})).toBe(false);
  expect(found({ files: ["assets/logo.png"] })).toBe(true);
});

test("a message that is not a text is refused with a message", async () => {
  const selector = await createSelector([]);
  expect(() => selector.decide(undefined as unknown as string)).toThrow(
    expect.objectContaining({ code: "call-invalid" }),
  );
});
