import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Ask, Question } from "./ask.ts";
import { type OpenSkillsOptions, openSkills } from "./open-skills.ts";
import type { ScriptCall, ScriptOutcome, ScriptRunner } from "./session/script-runner.ts";
import type { Session, SessionOptions } from "./session/session.ts";
import { MemorySource } from "./source/memory-source.ts";

/** The options of the session, and in `open` those of `openSkills`. */
export interface TestSkillsOptions extends SessionOptions {
  readonly open?: OpenSkillsOptions | undefined;
}

/**
 * Opens a session over in-memory skills, without this machine's config, home, project or bundled skills.
 *
 * @example
 * const session = await testSkills({ "greet/SKILL.md": "---\nname: greet\ndescription: Greets.\n---\nWave.\n" });
 */
export async function testSkills(
  files: Readonly<Record<string, string | Uint8Array>>,
  { open, ...options }: TestSkillsOptions = {},
): Promise<Session> {
  // This folder does not exist, and nothing is written there.
  const home = join(tmpdir(), `skillet-testing-${randomUUID()}`);
  const skills = await openSkills({
    home,
    userHome: home,
    workspace: home,
    environment: {},
    config: false,
    cacheDirectory: false,
    organisationDirectory: false,
    bundledDirectory: false,
    roots: [],
    sources: [new MemorySource(files)],
    ...open,
  });
  return skills.session(options);
}

/** A script in a test: returns its standard output, or the relevant parts of an outcome. */
export type FakeScript = (call: ScriptCall) => FakeOutcome | Promise<FakeOutcome>;
type FakeOutcome = string | Partial<ScriptOutcome>;
type FakeCall = ScriptCall & { readonly script: string };

/**
 * A runner that starts nothing; only the given scripts may run. An error of a function is exit code 1.
 *
 * @example
 * const runner = fakeRunner({ "greet:scripts/hello.sh": ({ args }) => `hello ${args[0]}` });
 */
export function fakeRunner(
  scripts: Readonly<Record<string, FakeScript>>,
): ScriptRunner & { readonly calls: readonly FakeCall[] } {
  const calls: FakeCall[] = [];
  return {
    calls,
    allow: Object.keys(scripts),
    prepare: async ({ skill, path, facts, target }) => ({
      runtime: facts.runtime,
      target,
      sandbox: "fake",
      run: async (call) => {
        const names = [`${skill.qualifiedName}:${path}`, `${skill.name}:${path}`];
        const script = names.find((name) => Object.hasOwn(scripts, name)) ?? "";
        calls.push({ ...call, script });
        const run = async (): Promise<FakeOutcome> => (await scripts[script]?.(call)) ?? "";
        const end = await run().catch((error: unknown) => ({ exitCode: 1, stderr: String(error) }));
        return { ...ENDED, argv: [path, ...call.args], ...(typeof end === "string" ? { stdout: end } : end) };
      },
    }),
  };
}

const ENDED: ScriptOutcome = {
  status: "executed",
  exitCode: 0,
  stdout: "",
  stderr: "",
  durationMs: 0,
  argv: [],
  cwd: "/workspace",
  truncated: { stdout: false, stderr: false },
  sandbox: { backend: "fake", strength: "full", weaknesses: [], memoryLimit: "tree" },
  diagnostics: [],
};

/**
 * Answers questions in order, by choice or whole answer; any further question gets no answer, so a no.
 *
 * @example
 * const ask = scriptedAsk(["allow", { choice: "provide", secrets: { TOKEN: "x" } }]);
 */
export function scriptedAsk(
  answers: readonly (string | Answer | undefined)[],
): Ask & { readonly asked: readonly Question[] } {
  const asked: Question[] = [];
  const ask: Ask = async (question) => {
    const answer = answers[asked.length];
    asked.push(question);
    return typeof answer === "string" ? { choice: answer } : answer;
  };
  return Object.assign(ask, { asked });
}
