import { readSync, writeSync } from "node:fs";
import { resolveHome } from "@skillet/core";
import { configPath } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, resolveLinks } from "@skillet/kit/files";
import { parseJsonObject, textOf } from "@skillet/kit/json";
import { showLine } from "@skillet/kit/text";
import { answerHook, type HookParts } from "./answer-hook.ts";
import { HOOK_AGENTS, type HookAgent, readHookEvent } from "./hook-agents.ts";
import { type HookAnswer, type HookEvent, withNotice } from "./hook-event.ts";
import { HookState } from "./hook-state.ts";
import { climb, type HookView, isIndexed, lastKnownFailure, readView, viewFiles } from "./hook-view.ts";

declare const BUILT_CODE_IDENTITY: string | undefined;
declare const BUILT_RULE_SET: string | undefined;

/** Room for a tool's input and its result; agents cut longer ones. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** Finds and judges skills; hooks need it only if something changed. */
export interface Making {
  makeView(request: ViewRequest & { readonly agent: string; readonly code: string }): Promise<HookView>;
  failurePolicy(request: ViewRequest): Promise<HookView["ifHooksFail"]>;
  /** Returns a note if something can be learned from the runs. */
  keepRuns(
    home: string,
    asked: { readonly ended: string; readonly event: "start" | "end" },
    skills: HookView["skills"],
  ): Promise<string | undefined>;
}

export interface ViewRequest {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspace: string;
}

interface HookHost {
  readonly loadMaking: () => Making;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: all of standard input. */
  readonly readInput?: () => Uint8Array;
  /** Default: standard output. */
  readonly write?: (text: string) => void;
}

/**
 * Answers one event of an agent, from standard input, on standard output.
 *
 * Always ends with 0: a session must not stop because Skillet fails.
 */
export async function runHook(argv: readonly string[], host: HookHost): Promise<void> {
  const [id = "", name = ""] = argv;
  const agent = HOOK_AGENTS.find((one) => one.id === id);
  if (agent === undefined) {
    writeSync(2, `skillet: there are no hooks for an agent called ${showLine(id)}\n`);
    return;
  }
  const answer = await answerSafely(agent, name, host);
  const document = agent.write(name, answer);
  if (document === undefined) return;
  const write = host.write ?? ((text) => void writeSync(1, text));
  write(`${JSON.stringify(document)}\n`);
}

async function answerSafely(agent: HookAgent, name: string, host: HookHost): Promise<HookAnswer> {
  let event: HookEvent | undefined;
  let workspace = process.cwd();
  try {
    event = readHookEvent(agent, name, parseJsonObject((host.readInput ?? readStandardInput)()) ?? {});
    if (event === undefined)
      throw new SkilletError("hook-input-invalid", `${agent.title} sent an event that is not understood`);
    const { home } = resolveHome(host.environment);
    workspace = workspaceOf(event.cwd);
    const state = HookState.of(home, agent.id, event.session);
    const memory = state.read();
    const isBegin = event.kind === "start" && event.cause !== "compacted";
    if (!isBegin && memory.workspace !== undefined) workspace = workspaceOf(memory.workspace);
    const parts = createParts(agent, { state, memory, workspace }, host);
    const answer = await answerHook(parts, event);
    if (event.kind !== "start" && event.kind !== "end") return answer;
    return withNotice(answer, await keepRuns(host, home, parts, event.kind));
  } catch (error) {
    return stepAside(agent, name, host, { event, workspace, error });
  }
}

/** If runs cannot be kept for learning, the answer must not be lost with them. */
async function keepRuns(
  { loadMaking }: HookHost,
  home: string,
  { state, view }: HookParts,
  event: "start" | "end",
): Promise<string | undefined> {
  try {
    const { skills } = event === "start" ? await view() : { skills: [] };
    return await loadMaking().keepRuns(home, { ended: state.file, event }, skills);
  } catch (error) {
    return `Skillet cannot keep what it recorded: ${messageOf(error)}`;
  }
}

function messageOf(error: unknown): string {
  const text = String(error instanceof Error ? error.message : error);
  return showLine(text.replace(/\s*\n\s*/g, " ")).slice(0, 400);
}

function readStandardInput(): Uint8Array {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const length = readSync(0, chunk, 0, chunk.length, null);
    if (length === 0) return Buffer.concat(chunks);
    size += length;
    if (size > MAX_INPUT_BYTES)
      throw new SkilletError("input-too-long", `The event is longer than ${MAX_INPUT_BYTES} bytes`);
    chunks.push(chunk.subarray(0, length));
  }
}

const CODE = `${typeof BUILT_CODE_IDENTITY === "string" ? BUILT_CODE_IDENTITY : "source"}+${
  typeof BUILT_RULE_SET === "string" ? BUILT_RULE_SET : "source"
}`;

function createParts(
  agent: HookAgent,
  { workspace, ...known }: Pick<HookParts, "state" | "memory"> & { readonly workspace: string },
  host: HookHost,
): HookParts {
  const { environment } = host;
  const { home, userHome } = resolveHome(environment);
  const files = viewFiles(home, agent.id, workspace);
  let made: HookView | undefined;
  const freshView = async (): Promise<HookView> => {
    // Once per event: later changes are seen by the next event.
    made ??= await host.loadMaking().makeView({ agent: agent.id, code: CODE, environment, workspace });
    return made;
  };
  return {
    agent,
    userHome,
    ...known,
    view: async () => made ?? readView(files.view, CODE) ?? freshView(),
    freshView,
    selector: async ({ skills, learned }) => {
      const { createSelector } = await import("./selecting.ts");
      const options = { cacheFile: files.index, learned: { skills: new Map(learned) } };
      return createSelector(skills.filter(isIndexed), options);
    },
  };
}

/** The nearest existing folder: a command that removes its working folder must not lift the rules. */
function workspaceOf(cwd: string): string {
  return climb(cwd, resolveLinks) ?? canonicalPath(cwd);
}

/** Says once per conversation that Skillet failed; calls go on unless policy or a project's fault forbids. */
async function stepAside(
  agent: HookAgent,
  name: string,
  host: HookHost,
  failed: { readonly event: HookEvent | undefined; readonly workspace: string; readonly error: unknown },
): Promise<HookAnswer> {
  const { event, workspace, error } = failed;
  const message = messageOf(error);
  const kind = agent.events[name];
  const isCall = kind === "before-tool";
  try {
    const { home } = resolveHome(host.environment);
    if (isCall && isFaultOf(workspace, home, error))
      return {
        decision: agent.asks ? "ask" : "deny",
        reason: `Skillet cannot read the project's rules: ${message}`,
      };
    const { environment } = host;
    // The last view has it even if the config can no longer be read.
    const isClosed = async (): Promise<boolean> =>
      lastKnownFailure(home, agent.id, workspace) === "deny" ||
      (await host.loadMaking().failurePolicy({ environment, workspace })) === "deny";
    if (isCall && (await isClosed()))
      return { decision: "deny", reason: `Skillet failed, and policy.ifHooksFail is deny: ${message}` };
    if (kind !== undefined && agent.deaf?.includes(kind)) return {};
    const told = `Skillet failed and steps aside: ${message}. To see more: skillet doctor`;
    const notice = event ? HookState.of(home, agent.id, event.session).tellOnce(told) : told;
    return notice === undefined ? {} : { notice };
  } catch (second) {
    return { notice: `Skillet failed and steps aside: ${message}; ${showLine(String(second))}` };
  }
}

/** A project, or an agent that writes in it, must not switch rules off by breaking its config. */
function isFaultOf(workspace: string, home: string, error: unknown): boolean {
  if (!SkilletError.isInstance(error) || error.code !== "config-invalid") return false;
  const { problems } = error.data;
  const files = Array.isArray(problems) ? problems.map((one) => textOf(one, "file") ?? "") : [];
  return files.some(
    (file) =>
      file !== configPath(home) &&
      /[\\/]\.skillet[\\/]config\.yaml$/.test(file) &&
      isInside(workspace, canonicalPath(file.slice(0, file.lastIndexOf(".skillet")))),
  );
}
