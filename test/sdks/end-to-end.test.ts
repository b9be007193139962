import { spawn, spawnSync } from "node:child_process";
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
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Step, serveModel } from "../examples/scripted-model.ts";
import { hasExamples, isInstalled, node24 } from "./sdk-packages.ts";

const repository = join(import.meta.dirname, "../..");
const SKILL = "release-notes";
const FINAL = "Three changes; the notes are above.";
const STEPS: readonly Step[] = [
  [{ name: "load_skill", input: { name: SKILL } }],
  [{ name: "read_skill_resource", input: { skill: SKILL, path: "references/style.md" } }],
  [
    {
      name: "run_skill_script",
      input: { skill: SKILL, path: "scripts/count-changes.sh", args: ["changes.md"] },
    },
  ],
  [{ name: "release-notes__check_line", input: { line: "Export pages as PDF" } }],
  [{ name: "write", input: { file_path: "notes.md", content: "Export pages as PDF" } }],
  FINAL,
];

/** What is the same in every agent, and not in the example. */
const SESSION = `
import { openSkills } from "@skillet/core";
import { createRunner, noSandbox } from "@skillet/run";
import { createVetter } from "@skillet/scan";
import { z } from "zod";
import { writeFile } from "node:fs/promises";

const home = process.cwd();
const skills = await openSkills({ home: "home", userHome: home, roots: ["skills"], vetter: createVetter(), config: false });
const allow = ["${SKILL}:scripts/count-changes.sh", "${SKILL}:scripts/check-line.sh"];
// Where the machine has no sandbox, the records say so.
const { ok } = await createRunner({ home: home + "/home" }).probe();
const runner = createRunner({ allow, home: home + "/home", ...(!ok && { sandbox: noSandbox() }) });
export const session = await skills.session({ runner, records: "run" });
export const message = "What is new since 1.3?";
const inputSchema = z.object({ file_path: z.string(), content: z.string() });
const run = async ({ file_path, content }: z.infer<typeof inputSchema>): Promise<string> => {
  await writeFile(file_path, content);
  return "written";
};
`;

const AI_SDK = `
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool } from "ai";
${SESSION}
export const model = createOpenAICompatible({ name: "model", baseURL: \`\${process.env.MODEL_URL}/v1\` })("scripted");
export const tools = { write: tool({ description: "Writes a file.", inputSchema, execute: run }) };
`;

const OPENAI_AGENTS = `
import { OpenAIProvider, setTracingDisabled, tool } from "@openai/agents";
${SESSION}
setTracingDisabled(true);
export const modelProvider = new OpenAIProvider({ baseURL: \`\${process.env.MODEL_URL}/v1\`, apiKey: "none" });
export const tools = [tool({ name: "write", description: "Writes a file.", parameters: inputSchema, execute: run })];
`;

const ANTHROPIC = `
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
${SESSION}
export const client = new Anthropic({ baseURL: process.env.MODEL_URL, apiKey: "none" });
export const tools = [betaZodTool({ name: "write", description: "Writes a file.", inputSchema, run })];
`;

const LANGCHAIN = `
import { ChatOpenAI } from "@langchain/openai";
import { tool } from "langchain";
${SESSION}
const configuration = { baseURL: \`\${process.env.MODEL_URL}/v1\` };
export const model = new ChatOpenAI({ model: "scripted", apiKey: "none", configuration });
export const tools = [tool(run, { name: "write", description: "Writes a file.", schema: inputSchema })];
`;

// For its types alone: no vendor's sandbox runs here.
const SANDBOX = `
import { sandboxOf } from "@skillet/adapters/ai-sdk";
import type { Experimental_SandboxSession } from "ai";

export const runnerIn = (sandboxSession: Experimental_SandboxSession) => createRunner({ sandbox: sandboxOf(sandboxSession) });
`;

/** As seen from the packages that are installed here. */
const EXAMPLES = "../../../examples/node_modules";

interface Agent {
  readonly sdk: string;
  /** The heading on docs/adapters.md whose first block is run. */
  readonly heading: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly agent: string;
  readonly host: string;
  /** A skill's own tools are listed from the start. */
  readonly listsAll?: boolean;
}

const AI_SDKS: readonly Agent[] = [6, 7].map((major) => ({
  sdk: `AI SDK ${major}`,
  heading: "Vercel AI SDK",
  packages: { ai: `ai-${major}`, "@ai-sdk/openai-compatible": `@ai-sdk/openai-compatible-${major - 4}` },
  agent: major === 6 ? AI_SDK : `${AI_SDK}${SANDBOX}`,
  host: "ai-sdk",
}));

const AGENTS: readonly Agent[] = [
  ...AI_SDKS,
  {
    sdk: "OpenAI Agents SDK",
    heading: "OpenAI Agents SDK",
    host: "openai-agents",
    agent: OPENAI_AGENTS,
    packages: { "@openai/agents": "@openai/agents" },
  },
  {
    sdk: "Anthropic SDK",
    heading: "Anthropic SDK",
    host: "anthropic",
    agent: ANTHROPIC,
    packages: { "@anthropic-ai/sdk": "@anthropic-ai/sdk" },
    listsAll: true,
  },
  {
    sdk: "LangChain",
    heading: "LangChain",
    host: "langchain",
    agent: LANGCHAIN,
    packages: { langchain: `${EXAMPLES}/langchain`, "@langchain/openai": `${EXAMPLES}/@langchain/openai` },
  },
];

const MAX_EXAMPLE_LINES = 10;

/** The first block below a heading, as it is on the page. */
function exampleOf(heading: string): string {
  const page = readFileSync(join(repository, "docs/adapters.md"), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  return /```ts[^\n]*\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
}

let root: string;

describe.skipIf(!isInstalled || !hasExamples || !existsSync(node24))(
  "over HTTP, with the example of docs/adapters.md",
  () => {
    beforeAll(() => {
      mkdirSync(join(import.meta.dirname, "dist"), { recursive: true });
      root = mkdtempSync(join(import.meta.dirname, "dist/test-"));
    });
    afterAll(() => rmSync(root, { recursive: true, force: true }));

    test.each(AGENTS)(
      "$sdk: a skill is seen, loaded, read and run, a call is refused, and all of it recorded",
      async (one) => {
        const place = preparePlace(one);
        const model = await serveModel(STEPS);
        const output = await runExample(place, model.url).finally(model.close);
        expect(output).toBe(`${FINAL}\n`);
        expect(existsSync(join(place, "notes.md"))).toBe(false);
        const [first, second] = model.requests;
        expect(first?.system).toContain(SKILL);
        expect(first?.tools).toEqual(expect.arrayContaining(["load_skill", "read_skill_resource", "write"]));
        expect(
          [first, second].map((request) => request?.tools.includes("release-notes__check_line")),
        ).toEqual([one.listsAll === true, true]);
        const [loaded, style, count, check, refused] = model.requests.at(-1)?.results ?? [];
        expect(loaded).toContain("# Release notes");
        expect(style).toContain("At most 60 characters");
        expect(count).toContain("stdout:\n3");
        expect(check).toContain('"ok":true');
        expect(refused).toContain("release-notes does not cover it");
        const lines = readFileSync(join(place, "run/journal.jsonl"), "utf8").trim().split("\n");
        const records = lines
          .map((line) => JSON.parse(line).record)
          .filter(({ kind }) => kind !== "policy" && kind !== "turn-ended");
        expect(records.map(({ kind }) => kind)).toEqual(
          expect.arrayContaining(["activation", "resource-read", "script-execution", "refusal"]),
        );
        const digest = expect.stringMatching(/^sha256:/);
        const backend = expect.stringMatching(/^(?:bubblewrap|seatbelt|none)$/);
        for (const record of records.filter(({ kind }) => kind !== "offer"))
          expect(record).toMatchObject({ host: one.host, callId: expect.stringMatching(/^call_\d_0$/) });
        expect(records.find(({ kind }) => kind === "activation")).toMatchObject({ name: SKILL, digest });
        expect(records.find(({ kind }) => kind === "script-execution")).toMatchObject({
          skillName: SKILL,
          treeDigest: digest,
          exitCode: 0,
          sandbox: { backend },
        });
      },
    );

    test("every example has at most ten lines, and fits the types of its SDK", () => {
      for (const { heading } of AGENTS) {
        const lines = exampleOf(heading).trim().split("\n");
        expect(lines.filter((line) => line !== "").length).toBeLessThanOrEqual(MAX_EXAMPLE_LINES);
      }
      const files = AGENTS.map((one) => join(preparePlace(one), "example.ts"));
      const compilerOptions = {
        module: "nodenext",
        target: "es2023",
        lib: ["es2023", "dom"],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        allowImportingTsExtensions: true,
        types: ["node"],
        typeRoots: [join(repository, "node_modules/@types")],
      };
      writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      const tsc = join(repository, "node_modules/typescript/bin/tsc");
      expect(spawnSync(process.execPath, [tsc, "--project", root]).stdout.toString()).toBe("");
    });
  },
);

/** A project as a person would have it, with the packages as they are published. */
function preparePlace({ heading, packages, agent }: Agent): string {
  const place = mkdtempSync(join(root, "agent-"));
  for (const name of ["skills", "changes.md"])
    cpSync(join(repository, "examples", name), join(place, name), { recursive: true });
  const link = (name: string, target: string): void => {
    mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true });
    symlinkSync(target, join(place, "node_modules", name));
  };
  for (const [name, installed] of Object.entries(packages))
    link(name, join(import.meta.dirname, "node_modules", installed));
  for (const name of ["adapters", "core", "run", "scan"])
    link(`@skillet/${name}`, join(repository, "packages", name));
  writeFileSync(join(place, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(place, "agent.ts"), agent);
  writeFileSync(join(place, "example.ts"), exampleOf(heading));
  return place;
}

async function runExample(cwd: string, url: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    MODEL_URL: url,
    OPENAI_API_KEY: "none",
    ANTHROPIC_API_KEY: "none",
  };
  const child = spawn(node24, ["example.ts"], { cwd, env });
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`The example ended with ${code}:\n${await errors}`);
  return output;
}

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
