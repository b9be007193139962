import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { adk } from "../../packages/adapters/src/adk.ts";
import type { Step } from "../examples/scripted-model.ts";
import { type Conversation, contract, type SeenRequest, type StartOptions } from "../sdks/contract.ts";

const repository = join(import.meta.dirname, "../..");
const installed = join(import.meta.dirname, "node_modules/@google/adk");
const isInstalled = existsSync(installed);

interface Part {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: {
    readonly response: { readonly result?: unknown; readonly error?: unknown; readonly skills?: unknown };
  };
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

interface Request {
  readonly contents: readonly Content[];
  readonly config?: {
    readonly systemInstruction?: unknown;
    readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  };
}

interface Runner {
  readonly sessionService: { createSession(session: object): Promise<unknown> };
  runAsync(params: object): AsyncIterable<{ readonly content?: Content; readonly errorMessage?: string }>;
}

interface Sdk {
  readonly BaseLlm: new (settings: object) => object;
  readonly FunctionTool: new (settings: object) => object;
  readonly InMemoryRunner: new (settings: object) => Runner;
  readonly LlmAgent: new (settings: object) => object;
  readonly SkillToolset: new (skills: readonly object[], options: object) => object;
}

/** The contract's calls by the names and inputs of ADK's toolset. */
function toAdk({ name, input }: { readonly name: string; readonly input: unknown }): object {
  const { skill: skill_name, path } = input as { readonly skill?: string; readonly path?: string };
  if (name === "read_skill_resource") return { name: "load_skill_resource", args: { skill_name, path } };
  if (name === "run_skill_script") return { name, args: { skill_name, script_path: path } };
  return { name, args: input };
}

async function start(sdk: Sdk, { session, tools: own }: StartOptions): Promise<Conversation> {
  const skills = await adk(session, { instruction: "Be brief." });
  const requests: SeenRequest[] = [];
  let waiting: readonly Step[] = [];
  class Scripted extends sdk.BaseLlm {
    async *generateContentAsync({ contents, config }: Request): AsyncGenerator<object> {
      const declared = config?.tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations) ?? [];
      requests.push({
        system: JSON.stringify(config?.systemInstruction ?? ""),
        tools: declared.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
        messages: contents.map((content) => JSON.stringify(content)),
      });
      const [step = "There is nothing left to say.", ...rest] = waiting;
      waiting = rest;
      const parts =
        typeof step === "string"
          ? [{ text: step }]
          : step.map((call, index) => ({
              functionCall: { id: `call_${requests.length}_${index}`, ...toAdk(call) },
            }));
      yield { content: { role: "model", parts } };
    }
  }
  const functions = own.map(
    ({ name, run: execute }) =>
      new sdk.FunctionTool({
        name,
        description: name,
        parameters: { type: "object", properties: {} },
        execute,
      }),
  );
  const agent = new sdk.LlmAgent({
    name: "assistant",
    model: new Scripted({ model: "scripted" }),
    tools: [new sdk.SkillToolset([], { registry: skills.registry }), ...functions],
    ...skills.agent,
  });
  const runner = new sdk.InMemoryRunner({ agent, appName: "test" });
  const place = { userId: "ann", sessionId: "1" };
  await runner.sessionService.createSession({ appName: "test", ...place });
  return {
    requests,
    refresh: skills.refresh,
    compacted: () => skills.compacted(),
    say: async (message, steps, { signal: abortSignal } = {}) => {
      waiting = steps;
      const results: string[] = [];
      const newMessage = { role: "user", parts: [{ text: message }] };
      for await (const { content, errorMessage } of runner.runAsync({ ...place, newMessage, abortSignal })) {
        if (errorMessage !== undefined) throw new Error(errorMessage);
        for (const { functionResponse } of content?.parts ?? [])
          if (functionResponse)
            results.push(String(functionResponse.response.result ?? functionResponse.response.error));
      }
      return results;
    },
  };
}

describe.skipIf(!isInstalled)("Google ADK", async () => {
  if (!isInstalled) return;
  const sdk: Sdk = await import(pathToFileURL(join(installed, "dist/esm/index.js")).href);
  contract({
    host: "adk",
    natives: [],
    asksBySession: true,
    start: (options) => start(sdk, options),
    leftOut: {
      1: "the toolset is ADK's, and always there",
      2: "a skill's own tools are not listed",
      8: "its tools show nothing while they run",
      12: "its own skills feature is the one that is fed",
      "13b": "its calls throw at once",
    },
    partly: { 4: "described" },
  });

  const root = mkdtempSync(join(import.meta.dirname, "adk-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("the example of docs/adapters.md has at most ten lines, fits ADK's types and runs", () => {
    const page = readFileSync(join(repository, "docs/adapters.md"), "utf8");
    const example = /```ts sdk="adk"\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(example.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10);
    cpSync(join(repository, "examples/skills"), join(root, "skills"), { recursive: true });
    mkdirSync(join(root, "node_modules/@skillet"), { recursive: true });
    for (const name of ["adapters", "core"])
      symlinkSync(join(repository, "packages", name), join(root, "node_modules/@skillet", name));
    writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(root, "agent.ts"), AGENT);
    writeFileSync(join(root, "example.ts"), example);
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      lib: ["es2023", "dom"],
      strict: true,
      outDir: root,
      skipLibCheck: true,
      rewriteRelativeImportExtensions: true,
      types: ["node"],
      typeRoots: [join(repository, "node_modules/@types")],
    };
    writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["example.ts"] }));
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    expect(spawnSync(process.execPath, [tsc, "--project", root]).stdout.toString()).toBe("");
    const { stdout } = spawnSync(process.execPath, ["example.js"], { cwd: root, encoding: "utf8" });
    expect(stdout).toContain("The skill is release-notes.\n");
  });
});

/** The model repeats which skill it was told about. */
const AGENT = `
import { BaseLlm, type BaseLlmConnection, FunctionTool, type LlmRequest, type LlmResponse } from "@google/adk";
import { openSkills } from "@skillet/core";

class Echo extends BaseLlm {
  async *generateContentAsync({ config }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const [name] = /release-notes/.exec(JSON.stringify(config?.systemInstruction)) ?? ["missing"];
    yield { content: { role: "model", parts: [{ text: "The skill is " + name + "." }] } };
  }
  connect(): Promise<BaseLlmConnection> {
    throw new Error("Nothing is live here.");
  }
}
const home = import.meta.dirname + "/home";
const skills = await openSkills({ home, userHome: home, roots: ["skills"], config: false });
export const session = await skills.session();
export const message = "What is new since 1.3?";
export const model = new Echo({ model: "echo" });
export const tools: FunctionTool[] = [];
`;
