import { describe, expect, test } from "vitest";
import { makeSkill, OTHERS } from "../testing/make-skill.ts";
import { type Behaviour, call, say, serveModel } from "../testing/serve-model.ts";
import type { TriggerQuery } from "../triggers/read-trigger-set.ts";
import { createChatModel } from "./chat-model.ts";
import { type EvaluateWithModelOptions, evaluateWithModel } from "./evaluate-with-model.ts";

const SKILL = makeSkill("pdf-forms", "Fill in PDF forms.");
const query = (id: string, text: string, shouldTrigger: boolean): TriggerQuery => ({
  id,
  query: text,
  shouldTrigger,
});
const FORM = query("1", "fill in this form", true);
const CAKE = query("2", "bake a cake", false);

async function evaluate(
  behaviour: Behaviour,
  options: Partial<EvaluateWithModelOptions> & { readonly apiKey?: string } = {},
) {
  const { endpoint, asked } = await serveModel(behaviour);
  const { apiKey, ...rest } = options;
  const model = createChatModel({ endpoint, model: "reader-1", ...(apiKey !== undefined && { apiKey }) });
  const evaluation = await evaluateWithModel(SKILL, {
    queries: [FORM, CAKE],
    model,
    among: OTHERS,
    timeoutMs: 60_000,
    readInstructions: ({ name }) => `# ${name}\n\nDo it.`,
    ...rest,
  });
  return { evaluation, asked, endpoint };
}

/** Loads the skill for forms, and answers everything else in words. */
const sensible: Behaviour = ({ query: text }, response) =>
  text.includes("form") ? call(response, ["load_skill", { name: "pdf-forms" }]) : say(response, "Done.");

describe("what counts as a trigger", () => {
  test("a model that loads the skill at once, for what it should alone", async () => {
    const { evaluation, asked, endpoint } = await evaluate(sensible, { apiKey: "key-1" });
    expect(evaluation.results).toEqual([
      { ...FORM, triggers: 3, runs: 3, triggerRate: 1, pass: true, chosenInstead: [], failures: [] },
      { ...CAKE, triggers: 0, runs: 3, triggerRate: 0, pass: true, chosenInstead: [], failures: [] },
    ]);
    expect(evaluation.summary).toEqual({ total: 2, passed: 2, failed: 0, unmeasured: 0 });
    expect(evaluation.metrics).toMatchObject({
      truePositives: 3,
      trueNegatives: 3,
      precision: 1,
      recall: 1,
      f1: 1,
    });
    expect(evaluation.by).toBe(`reader-1 at ${endpoint}`);
    expect(evaluation.usage).toEqual({
      promptTokens: 600,
      completionTokens: 60,
      answers: 6,
      withoutUsage: 0,
    });
    expect(asked[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer key-1" },
    });
    expect(asked[0]?.body.tools.map(({ function: { name } }) => name)).toContain("load_skill");
    expect(asked[0]?.body.messages[0]?.content).toContain("pdf-forms");
    expect(asked[0]?.body.messages[0]?.content).toContain("spreadsheets");
  });

  test.each<[string, Behaviour]>([
    [
      "after other tools, since the first call says nothing about the run",
      ({ turn }, response) =>
        turn < 4
          ? call(response, ["run_command", { command: "ls" }])
          : call(response, ["load_skill", { name: "pdf-forms" }]),
    ],
    [
      "beside other calls of the same turn",
      (_asked, response) =>
        call(response, ["read_file", { path: "a.pdf" }], ["load_skill", { name: "pdf-forms" }]),
    ],
    [
      "by reading its SKILL.md",
      (_asked, response) => call(response, ["read_file", { path: "/skills/pdf-forms/SKILL.md" }]),
    ],
    [
      "by a command that reads its SKILL.md",
      (_asked, response) =>
        call(response, ["run_command", { command: "cat '/skills/pdf-forms/SKILL.md' | head -50" }]),
    ],
    [
      "by going to its folder first",
      (_asked, response) =>
        call(response, ["run_command", { command: "cd /skills/pdf-forms && sed -n 1,200p SKILL.md" }]),
    ],
    [
      "by a command that reads two of them",
      (_asked, response) =>
        call(response, [
          "run_command",
          { command: "cat /skills/recipes/SKILL.md /skills/pdf-forms/SKILL.md" },
        ]),
    ],
    [
      "with another name for the argument",
      (_asked, response) => call(response, ["load_skill", { skill: "/pdf-forms" }]),
    ],
    [
      "after another skill",
      ({ turn }, response) => call(response, ["load_skill", { name: turn === 1 ? "recipes" : "pdf-forms" }]),
    ],
  ])("the skill is loaded %s", async (_how, behaviour) => {
    const { evaluation } = await evaluate(behaviour, { queries: [FORM], runsPerQuery: 1 });
    expect(evaluation.results[0]).toMatchObject({ triggers: 1, runs: 1, pass: true });
  });

  test.each<[string, Behaviour]>([
    ["talks about it", (_asked, response) => say(response, "I would load pdf-forms.")],
    [
      "reads a file beside it",
      ({ turn }, response) =>
        turn === 1
          ? call(response, ["read_file", { path: "/skills/pdf-forms/SKILL.md.bak" }])
          : say(response, "Done."),
    ],
    [
      "calls a tool that there is not",
      ({ turn }, response) =>
        turn === 1 ? call(response, ["pdf-forms", { name: "pdf-forms" }]) : say(response, "Done."),
    ],
    ["never ends", (_asked, response) => call(response, ["run_command", { command: "sleep" }])],
  ])("a model that %s has not loaded it", async (_what, behaviour) => {
    const { evaluation, asked } = await evaluate(behaviour, { queries: [FORM], runsPerQuery: 1 });
    expect(evaluation.results[0]).toMatchObject({ triggers: 0, runs: 1, pass: false, failures: [] });
    expect(asked.length).toBeLessThanOrEqual(8);
  });

  test("another skill that was taken instead is recorded, and its instructions are what the model gets", async () => {
    const { evaluation, asked } = await evaluate(
      ({ turn }, response) =>
        turn === 1 ? call(response, ["load_skill", { name: "spreadsheets" }]) : say(response, "Done."),
      { queries: [FORM] },
    );
    expect(evaluation.results[0]).toMatchObject({
      pass: false,
      chosenInstead: [{ name: "spreadsheets", times: 3 }],
      advice: expect.stringContaining("the header"),
    });
    expect(asked.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "# spreadsheets\n\nDo it.",
    });
  });
});

describe("accounting", () => {
  test("rows of the same words are two results, by id", async () => {
    const twin = { ...FORM, id: "twin", shouldTrigger: false };
    const { evaluation } = await evaluate(sensible, { queries: [FORM, twin], runsPerQuery: 2 });
    expect(evaluation.results.map(({ id, runs, pass }) => [id, runs, pass])).toEqual([
      ["1", 2, true],
      ["twin", 2, false],
    ]);
  });

  test.each([
    [0.5, true],
    [0.51, false],
  ])("half of the runs against a threshold of %d: pass is %s", async (threshold, pass) => {
    let turns = 0;
    const { evaluation } = await evaluate(
      (_asked, response) => {
        turns += 1;
        if (turns % 2 === 0) say(response, "Done.");
        else call(response, ["load_skill", { name: "pdf-forms" }]);
      },
      { queries: [FORM], runsPerQuery: 2, workers: 1, threshold },
    );
    expect(evaluation.results[0]).toMatchObject({ triggers: 1, runs: 2, triggerRate: 0.5, pass });
  });

  test("metrics are over runs", async () => {
    let turns = 0;
    const { evaluation } = await evaluate(
      (_asked, response) => {
        turns += 1;
        if (turns > 2) say(response, "Done.");
        else call(response, ["load_skill", { name: "pdf-forms" }]);
      },
      { queries: [FORM], workers: 1 },
    );
    expect(evaluation.metrics).toMatchObject({
      truePositives: 2,
      falseNegatives: 1,
      recall: 2 / 3,
      precision: 1,
    });
  });

  test("usage is what the endpoint tells, and answers without it are counted", async () => {
    const { evaluation } = await evaluate(
      ({ query: text }, response) => say(response, "Done.", text === FORM.query ? null : undefined),
      { runsPerQuery: 1 },
    );
    expect(evaluation.usage).toEqual({
      promptTokens: 100,
      completionTokens: 10,
      answers: 2,
      withoutUsage: 1,
    });
  });

  test.each([
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: "9" },
    [],
    "much",
    { prompt_tokens: 1e300, completion_tokens: 0 },
  ])("usage of %j counts as none", async (usage) => {
    const { evaluation } = await evaluate((_asked, response) => say(response, "Done.", usage), {
      queries: [FORM],
      runsPerQuery: 1,
    });
    expect(evaluation.usage).toEqual({ promptTokens: 0, completionTokens: 0, answers: 1, withoutUsage: 1 });
  });

  test("progress counts every run, and no more runs go on at once than there are workers", async () => {
    const steps: string[] = [];
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    await evaluate(
      (asked, response) => {
        open += 1;
        most = Math.max(most, open);
        waiting.push(() => {
          open -= 1;
          sensible(asked, response);
        });
        // Each is answered when the next one is there, so that some are always under way.
        if (waiting.length >= 2 || steps.length >= 4) while (waiting.length > 0) waiting.shift()?.();
      },
      { workers: 2, onProgress: (done, total) => steps.push(`${done}/${total}`) },
    );
    expect(most).toBe(2);
    expect(steps).toEqual(["1/6", "2/6", "3/6", "4/6", "5/6", "6/6"]);
  });
});

describe("failures", () => {
  test.each<[string, string, string, Behaviour]>([
    [
      "an error of the server",
      "status",
      "status 500",
      (_asked, response) => response.writeHead(500).end("{}"),
    ],
    ["a page", "garbage", "not a chat completion", (_asked, response) => response.end("<html>")],
    ["null", "garbage", "not a chat completion", (_asked, response) => response.end("null")],
    ["no choice", "garbage", "not a chat completion", (_asked, response) => response.end('{"choices":[]}')],
    [
      "an endless answer",
      "garbage",
      "longer than",
      (_asked, response) => response.end("x".repeat(1_100_000)),
    ],
    ["a broken connection", "unreachable", "could not be reached", (_asked, response) => response.destroy()],
    [
      "a redirect, which would take the key along",
      "unreachable",
      "could not be reached",
      (_asked, response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    ],
  ])(
    "%s is reported apart and counts neither as called nor as not",
    async (_what, kind, message, failing) => {
      const { evaluation } = await evaluate(
        (asked, response) => (asked.query === FORM.query ? failing : sensible)(asked, response),
        { runsPerQuery: 2 },
      );
      const [form, cake] = evaluation.results;
      expect(form).toEqual({ ...FORM, triggers: 0, runs: 0, chosenInstead: [], failures: form?.failures });
      expect(form?.failures).toEqual([
        { kind, message: expect.stringContaining(message) },
        { kind, message: expect.stringContaining(message) },
      ]);
      expect(cake).toMatchObject({ runs: 2, pass: true });
      expect(evaluation.summary).toEqual({ total: 2, passed: 1, failed: 0, unmeasured: 1 });
      expect(evaluation.metrics).toMatchObject({ falseNegatives: 0, trueNegatives: 2 });
      expect(evaluation.failedRuns).toBe(2);
    },
  );

  test("a run that gets no answer in time is a failure, not a miss", async () => {
    const { evaluation } = await evaluate(() => undefined, {
      queries: [FORM],
      runsPerQuery: 1,
      timeoutMs: 50,
    });
    expect(evaluation.results[0]).toMatchObject({
      runs: 0,
      failures: [{ kind: "timeout", message: "no answer came in time: within 50 ms for one run" }],
    });
    expect(evaluation.results[0]).not.toHaveProperty("pass");
  });

  test("a rate of runs that ended is not diluted by one that failed", async () => {
    let turns = 0;
    const { evaluation } = await evaluate(
      (asked, response) => {
        turns += 1;
        if (turns === 1) response.writeHead(500).end();
        else sensible(asked, response);
      },
      { queries: [FORM], workers: 1 },
    );
    expect(evaluation.results[0]).toMatchObject({ triggers: 2, runs: 2, triggerRate: 1, pass: true });
    expect(evaluation.failedRuns).toBe(1);
  });

  test("a server that is busy is asked again when it says so", async () => {
    let turns = 0;
    const { evaluation, asked } = await evaluate(
      (one, response) => {
        turns += 1;
        if (turns === 1) response.writeHead(429, { "retry-after": "0" }).end();
        else if (turns === 2)
          response.writeHead(503, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }).end();
        else sensible(one, response);
      },
      { queries: [FORM], runsPerQuery: 1 },
    );
    expect(asked).toHaveLength(3);
    expect(evaluation.results[0]).toMatchObject({ triggers: 1, runs: 1, failures: [] });
  });

  test("a server that stays busy is left, and so is one that asks for more patience than a run has", async () => {
    const { evaluation, asked } = await evaluate(
      (_asked, response) => response.writeHead(429, { "retry-after": "0" }).end(),
      { queries: [FORM], runsPerQuery: 1 },
    );
    expect([asked.length, evaluation.results[0]?.failures[0]?.kind]).toEqual([4, "status"]);
    const slow = await evaluate(
      (_asked, response) => response.writeHead(429, { "retry-after": "99999999999" }).end(),
      { queries: [FORM], runsPerQuery: 1, timeoutMs: 100 },
    );
    expect(slow.evaluation.results[0]?.failures[0]?.kind).toBe("timeout");
  });

  test("a refused key ends everything at once and is not repeated", async () => {
    const failure = await evaluate((_asked, response) => response.writeHead(401).end("sk-secret is wrong"), {
      apiKey: "sk-secret",
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "eval-model-refused" });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain("sk-secret");
  });

  test("no result repeats the key, whatever the server sends back", async () => {
    const { evaluation } = await evaluate((_asked, response) => response.writeHead(400).end("sk-secret"), {
      apiKey: "sk-secret",
    });
    expect(JSON.stringify(evaluation)).not.toContain("sk-secret");
  });

  test("an abort ends it", async () => {
    const abort = new AbortController();
    await expect(evaluate(() => abort.abort(), { signal: abort.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});

describe("the catalogue", () => {
  test("skills that are not offered, and a namesake at another place, are not in it", async () => {
    const hidden = makeSkill("hidden-one", "Only people start it.", ["disable-model-invocation: true"]);
    const disabled = { ...makeSkill("disabled-one", "Is off."), state: "disabled" as const };
    const namesake = { ...makeSkill("pdf-forms", "Another one of the name."), path: "/elsewhere/SKILL.md" };
    const { asked } = await evaluate(sensible, {
      among: [...OTHERS, hidden, disabled, namesake],
      runsPerQuery: 1,
    });
    const system = asked[0]?.body.messages[0]?.content ?? "";
    expect(system).toContain("kubernetes");
    for (const text of ["hidden-one", "disabled-one", "Another one"]) expect(system).not.toContain(text);
  });

  test("among more skills than there is room for, the one under test is listed all the same", async () => {
    const many = Array.from({ length: 600 }, (_, index) => makeSkill(`a-${index}`, "x".repeat(400)));
    const { asked } = await evaluate(sensible, { among: many, runsPerQuery: 1 });
    const system = asked[0]?.body.messages[0]?.content ?? "";
    expect(system.length).toBeLessThan(30_000);
    expect(system).toContain("pdf-forms");
    expect(system).toContain("Fill in PDF forms.");
  });

  test("a disabled skill can be evaluated before it is enabled", async () => {
    const { endpoint } = await serveModel(sensible);
    const evaluation = await evaluateWithModel(
      { ...SKILL, state: "disabled" },
      {
        queries: [FORM],
        model: createChatModel({ endpoint, model: "m" }),
        readInstructions: () => undefined,
      },
    );
    expect(evaluation.results[0]).toMatchObject({ pass: true });
  });

  test.each([
    ["runsPerQuery", { runsPerQuery: 0 }],
    ["workers", { workers: 99 }],
    ["runsPerQuery", { runsPerQuery: 1.5 }],
  ])("a senseless %s is refused: %j", async (name, options) => {
    await expect(evaluate(sensible, options)).rejects.toMatchObject({
      code: "eval-option-invalid",
      data: { name },
    });
  });
});

test.each<Partial<EvaluateWithModelOptions>>([
  ...[Number.NaN, -1, 0, 2, "0.5" as unknown as number].map((threshold) => ({ threshold })),
  ...[Number.NaN, -1, 0, 0.5, Number.POSITIVE_INFINITY, 1e12].map((timeoutMs) => ({ timeoutMs })),
])("an option that no run could follow is refused before a model is asked: %o", async (options) => {
  const { endpoint, asked } = await serveModel(sensible);
  const model = createChatModel({ endpoint, model: "reader-1" });
  const [name] = Object.keys(options);
  await expect(
    evaluateWithModel(SKILL, { queries: [FORM], model, readInstructions: () => "", ...options }),
  ).rejects.toMatchObject({ name: "SkilletError", code: "eval-option-invalid", data: { name } });
  expect(asked).toEqual([]);
});
