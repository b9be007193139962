import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

const QUERIES = [
  { query: "fill in this form", should_trigger: true },
  { query: "bake bread without yeast", should_trigger: true },
  { query: "cut a video", should_trigger: false },
];

function prepare(): Sandbox {
  const sandbox = createSandbox();
  const skills = "home/.skillet/skills";
  sandbox.write(
    `${skills}/pdf-forms/SKILL.md`,
    skillText("pdf-forms", 'Fill in PDF forms. Use when the user says "fill in this form".'),
  );
  sandbox.write(`${skills}/pdf-forms/evals/eval_queries.json`, JSON.stringify(QUERIES));
  sandbox.write(`${skills}/video/SKILL.md`, skillText("video", "Cut and join videos with ffmpeg."));
  return sandbox;
}

describe("eval triggers", () => {
  test("measures a skill that is disabled as if it were not", async () => {
    const sandbox = prepare();
    sandbox.write("home/.skillet/config.yaml", "skills:\n  disabled: [pdf-forms]\n");
    const { exitCode, document } = await sandbox.json(["eval", "triggers", "pdf-forms"]);
    expect([exitCode, document.summary.passed]).toEqual([0, 2]);
  });

  test("prints one document with the names that other tools read", async () => {
    const { exitCode, document } = await prepare().json(["eval", "triggers", "pdf-forms"]);
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({
      schemaVersion: 1,
      skill_name: "pdf-forms",
      by: "selector",
      at: "suggest",
      summary: { total: 3, passed: 2, failed: 1, unmeasured: 0 },
      metrics: { precision: 1, recall: 0.5 },
      missed_bounds: [],
      diagnostics: [],
    });
    expect(document.results[0]).toMatchObject({
      id: "1",
      query: "fill in this form",
      should_trigger: true,
      trigger_rate: 1,
      triggers: 1,
      runs: 1,
      pass: true,
      rank: 1,
    });
    expect(document.results[2].chosen_instead).toEqual([{ name: "video", times: 1 }]);
  });

  test("shows what fails first, with what to change", async () => {
    const { stdout, exitCode } = await prepare().skillet(["eval", "triggers", "pdf-forms", "--alone"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^pdf-forms by the selector, alone; called means suggested or activated:\n/);
    expect(stdout.indexOf("bake bread")).toBeLessThan(stdout.indexOf("fill in this form"));
    expect(stdout.replace(/\s+/g, " ")).toContain('lack "bake", "bread", "yeast": say so');
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each([
    [["--min-recall", "0.9"], 1],
    [["--min-recall", "0.5", "--min-precision", "1"], 0],
    [["--min-f1", "0.99"], 1],
  ])("a bound decides the exit code: %j ends with %d", async (bounds, expected) => {
    const { exitCode } = await prepare().skillet(["eval", "triggers", "pdf-forms", ...bounds]);
    expect(exitCode).toBe(expected);
  });

  test("writes the document to a file, and evaluates a folder that is not installed with another set", async () => {
    const sandbox = prepare();
    sandbox.write("project/draft/SKILL.md", skillText("draft", "Water plants on a balcony."));
    sandbox.write(
      "project/set.jsonl",
      '{"message":"water the plants on my balcony","expected":true}\n{"message":"cut a video","expected":false}\n',
    );
    const args = ["eval", "triggers", "./draft", "--set", "set.jsonl", "--output", "out.json"];
    const { exitCode } = await sandbox.skillet(args);
    const written = JSON.parse(readFileSync(join(sandbox.project, "out.json"), "utf8"));
    expect([exitCode, written.skill_name, written.summary.passed]).toEqual([0, "draft", 2]);
    expect(Object.keys(written)).not.toContain("schemaVersion");
  });

  test("says that nothing was measured instead of a perfect figure", async () => {
    const sandbox = prepare();
    sandbox.write("project/set.json", JSON.stringify([{ query: "cut a video", should_trigger: false }]));
    const args = ["eval", "triggers", "pdf-forms", "--set", "set.json", "--min-recall", "0.5"];
    const { exitCode, stdout, stderr } = await sandbox.skillet(args);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("precision –  recall –  F1 –  accuracy 1.00\n1 of 1 message passed\n");
    expect(stderr).toContain("selector: recall was not measured");
    const { document } = await sandbox.json(args);
    expect(document.metrics).toMatchObject({ precision: null, recall: null, f1: null, accuracy: 1 });
    expect(document.missed_bounds).toMatchObject([{ figure: "recall", value: null, bound: 0.5 }]);
  });

  test("goes by what use has taught, as sessions do, unless it is told not to", async () => {
    const sandbox = prepare();
    const scoreOf = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const { document } = await sandbox.json(["eval", "triggers", "pdf-forms", ...args]);
      return [document.results[0].score, document.learned_from];
    };
    const plain = await scoreOf();
    expect(plain[1]).toBeNull();
    const file = sandbox.write(
      "home/.skillet/selection.yaml",
      "version: 1\nskills:\n  pdf-forms:\n    ignored: 30\n    threshold: 1.5\n",
    );
    const taught = await scoreOf();
    expect(taught[0]).toBeLessThan(plain[0] as number);
    expect(taught[1]).toBe(file);
    expect(await scoreOf("--untaught")).toEqual(plain);
    const screens = [await sandbox.skillet(["eval", "triggers", "pdf-forms"])];
    screens.push(await sandbox.skillet(["eval", "triggers", "pdf-forms", "--untaught"]));
    const [first, second] = screens.map(({ stdout }) => stdout.replace(/\s+/g, " "));
    expect(first).toContain(", taught by ~/.skillet/selection.yaml; called means");
    expect(second).toContain(", untaught; called means");
    sandbox.write("home/.skillet/selection.yaml", "skills: [\n");
    expect((await sandbox.skillet(["eval", "triggers", "pdf-forms"])).stderr).toContain("selection.yaml:2:1");
  });

  test.each([
    [["pdf-forms", "a", "b"], 2, /^error: Too many arguments.*\n {2}See: skillet help eval triggers\n$/],
    [
      ["pdf-forms", "--bogus"],
      2,
      /^error: Unknown option '--bogus'\.\n {2}See: skillet help eval triggers\n$/,
    ],
    [["pdf-forms", "--runs", "5"], 2, /^error: --runs needs a model to ask/],
    [["pdf-forms", "--runs", "5", "--by", "selector"], 2, /^error: --runs is about a model/],
    [
      ["pdf-forms", "--set", "none.json"],
      2,
      /^error: There is no file .*none\.json\.\n {2}--set takes a path/,
    ],
    [["pdf-forms", "--set", "."], 2, /^error: .* is a folder, and a set is a file\.\n {2}Name a file in it/],
    [["pdf-forms", "--set", "bad.json"], 1, /bad\.json:2:5: the set cannot be read as JSON/],
  ])("wrong use is told with what to do: %j", async (args, exitCode, message) => {
    const sandbox = prepare();
    sandbox.write("project/bad.json", "[\n  1 2]\n");
    const run = await sandbox.skillet(["eval", "triggers", ...args]);
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).toMatch(message);
  });

  test("a set's text cannot write to the terminal", async () => {
    const sandbox = prepare();
    sandbox.write(
      "project/set.json",
      JSON.stringify([{ query: "fill in \u001b]0;owned\u0007 this \u202e form", should_trigger: false }]),
    );
    const { stdout, stderr } = await sandbox.skillet(["eval", "triggers", "pdf-forms", "--set", "set.json"]);
    for (const character of ["\u001b", "\u0007", "\u202e"])
      expect(`${stdout}${stderr}`).not.toContain(character);
  });
});

describe("a model of the config", () => {
  /** A server that loads pdf-forms for forms and takes the key it is given. */
  async function serve(): Promise<{ endpoint: string; keys: (string | undefined)[] }> {
    const keys: (string | undefined)[] = [];
    const reply = (response: ServerResponse, message: unknown): void =>
      void response.end(
        JSON.stringify({ choices: [{ message }], usage: { prompt_tokens: 7, completion_tokens: 1 } }),
      );
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        keys.push(request.headers.authorization);
        const { messages } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        const given = JSON.stringify({ name: "pdf-forms" });
        if (!messages[1].content.includes("form")) reply(response, { role: "assistant", content: "Done." });
        else
          reply(response, {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "load_skill", arguments: given } }],
          });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, keys };
  }

  const config = (endpoint: string): string =>
    `eval:\n  model: { endpoint: "${endpoint}", model: reader-1, apiKeyEnv: EVAL_KEY }\n`;

  test("is asked beside the selector, and its key is nowhere to be read", async () => {
    const sandbox = prepare();
    const { endpoint, keys } = await serve();
    sandbox.write("home/.skillet/config.yaml", config(endpoint));
    const environment = { EVAL_KEY: "sk-secret" };
    const { exitCode, document } = await sandbox.json(
      ["eval", "triggers", "pdf-forms", "--runs", "2", "--output", "out.json"],
      { environment },
    );
    expect([exitCode, document.by, document.selector.by]).toEqual([0, `reader-1 at ${endpoint}`, "selector"]);
    expect(document.results.map((row: { trigger_rate: number }) => row.trigger_rate)).toEqual([1, 0, 0]);
    expect(document.usage).toMatchObject({ prompt_tokens: 42, completion_tokens: 6, answers: 6 });
    expect(new Set(keys)).toEqual(new Set(["Bearer sk-secret"]));
    const screen = await sandbox.skillet(["eval", "triggers", "pdf-forms", "--by", "model"], { environment });
    expect(screen.stdout).toContain("72 tokens as reported by the endpoint (63 in, 9 out)");
    const everything = [
      JSON.stringify(document),
      screen.stdout,
      screen.stderr,
      readFileSync(join(sandbox.project, "out.json"), "utf8"),
    ].join("\n");
    expect(everything).not.toContain("sk-secret");
  });

  test("that fails is told once, with what it said and without the key", async () => {
    const sandbox = prepare();
    const server = createServer((request, response) => {
      const { authorization } = request.headers;
      request.resume();
      response
        .writeHead(500)
        .end(JSON.stringify({ error: { message: `no \u001b[31mmemory for ${authorization}` } }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    sandbox.write("home/.skillet/config.yaml", config(endpoint));
    const { exitCode, stdout, stderr } = await sandbox.skillet(
      ["eval", "triggers", "pdf-forms", "--by", "model", "--runs", "2"],
      { environment: { EVAL_KEY: "sk-secret" } },
    );
    expect(exitCode).toBe(1);
    const shown = stdout.replace(/\s+/g, " ");
    expect(
      shown.match(/6 runs failed: the endpoint answered with status 500: no .*memory for Bearer \[key\]/),
    ).not.toBeNull();
    expect(shown.split("status 500")).toHaveLength(2);
    expect(`${stdout}${stderr}`).not.toContain("sk-secret");
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
  });

  test("without its key nothing is asked", async () => {
    const sandbox = prepare();
    const { endpoint, keys } = await serve();
    sandbox.write("home/.skillet/config.yaml", config(endpoint));
    const { exitCode, document } = await sandbox.json(["eval", "triggers", "pdf-forms"]);
    expect([exitCode, document.error.code, keys]).toEqual([2, "eval-key-missing", []]);
    expect((await sandbox.skillet(["eval", "triggers", "pdf-forms", "--by", "selector"])).exitCode).toBe(0);
  });

  test("is never one that a project, or the scanner's judge, names", async () => {
    const sandbox = prepare();
    const { endpoint, keys } = await serve();
    sandbox.write("project/.skillet/config.yaml", config(endpoint).replace(", apiKeyEnv: EVAL_KEY", ""));
    sandbox.write("home/.skillet/config.yaml", `scan:\n  judge: { endpoint: "${endpoint}", model: m }\n`);
    await sandbox.skillet(["trust", "--yes"]);
    const { document } = await sandbox.json(["eval", "triggers", "pdf-forms"]);
    expect([document.by, keys]).toEqual(["selector", []]);
  });
});

describe("eval collisions", () => {
  test("names copies and ends with 1 where that is asked for", async () => {
    const sandbox = prepare();
    sandbox.write(
      "home/.skillet/skills/cutter/SKILL.md",
      skillText("cutter", "Cut and join videos with ffmpeg."),
    );
    const { exitCode, document } = await sandbox.json(["eval", "collisions", "--fail"]);
    expect(exitCode).toBe(1);
    expect(document.collisions).toContainEqual({
      kind: "copy",
      skills: ["cutter", "video"],
      harm: 2,
      directions: [],
    });
    const screen = await sandbox.skillet(["eval", "collisions", "video"]);
    expect([screen.exitCode, screen.stdout]).toEqual([0, expect.stringContaining("= cutter = video")]);
    expect(
      (await sandbox.skillet(["eval", "collisions", "pdf-forms", "--min-share", "1", "--fail"])).exitCode,
    ).toBe(0);
  });

  test("a broken set of a skill does not keep the others from being compared", async () => {
    const sandbox = prepare();
    const file = sandbox.write("home/.skillet/skills/video/evals/eval_queries.json", "[{");
    expect(existsSync(file)).toBe(true);
    expect((await sandbox.skillet(["eval", "collisions"])).exitCode).toBe(0);
  });
});

test("eval alone says what can be evaluated", async () => {
  const { exitCode, document } = await createSandbox().json(["eval"]);
  expect([exitCode, document.error]).toEqual([
    2,
    expect.objectContaining({ code: "usage", message: "skillet eval needs an action." }),
  ]);
});
