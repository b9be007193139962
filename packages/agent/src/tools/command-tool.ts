import { relative } from "node:path";
import type { ScriptOutcome, ScriptRunner } from "@skillet/core";
import { type Digest, digestBytes, digestTree } from "@skillet/kit/digest";
import { cutText } from "@skillet/kit/text";
import { type Tool, tool } from "ai";
import { checkedInput } from "./checked-input.ts";
import type { ToolContext } from "./file-tools.ts";

interface CommandInput {
  readonly command: string;
  readonly timeoutMs?: number;
}

/** The result of a command, while it runs and when it ends. */
interface CommandOutput {
  readonly text: string;
  readonly isRunning: boolean;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const MAX_SHOWN_CHARACTERS = 30_000;
const PATH = "scripts/command.sh";

/**
 * Runs commands, after approval, in the sandbox for scripts of skills: a command is a one-file script.
 *
 * @example
 * const tools = { ...commandTool({ workspace, permissions, runner: createRunner({ writable: [workspace] }) }) };
 */
export function commandTool(
  context: ToolContext & { readonly runner: Pick<ScriptRunner, "prepare">; readonly runId: string },
): { readonly Bash: Tool<CommandInput, CommandOutput> } {
  const { workspace, start = workspace, permissions, runner, runId } = context;
  const folder = relative(workspace, start);
  return {
    Bash: tool({
      description: "Runs a bash command in the workspace, in a sandbox; it has no network and no terminal.",
      inputSchema: checkedInput<CommandInput>(
        {
          command: { type: "string" },
          timeoutMs: { type: "integer", minimum: 1, maximum: MAX_TIMEOUT_MS },
        },
        ["command"],
      ),
      execute: async function* (input, { abortSignal: signal }) {
        const { command, timeoutMs = DEFAULT_TIMEOUT_MS } = input;
        const refused = await permissions.permit(
          { tool: "Bash", input, reason: "it runs a command" },
          signal,
        );
        if (refused !== undefined) throw new Error(refused);
        const prepared = await runner.prepare(scriptOf(command));
        if ("code" in prepared) throw new Error(`The command was not run: ${prepared.message}`);
        yield { text: "", isRunning: true };
        const ended = await prepared.run({
          args: [],
          cwd: "workspace",
          workspace,
          protect: [],
          timeoutMs,
          secrets: {},
          runId,
          signal,
          ...(folder !== "" && { folder }),
        });
        if ("code" in ended) throw new Error(`The command was not run: ${ended.message}`);
        yield { text: describe(ended), isRunning: false };
      },
      toModelOutput: ({ output }) => ({ type: "text", value: output.text }),
    }),
  };
}

function scriptOf(command: string): Parameters<ScriptRunner["prepare"]>[0] {
  const bytes = Buffer.from(`${command}\n`);
  const mode = "755" as const;
  const treeDigest: Digest = digestTree([
    { path: PATH, mode, digest: digestBytes(bytes), size: bytes.length },
  ]);
  const file = { path: PATH, mode, bytes };
  return {
    skill: { name: "command", qualifiedName: "command", treeDigest },
    path: PATH,
    facts: { executable: true, runtime: "bash" },
    target: "sandbox",
    files: {
      [Symbol.asyncIterator]: async function* () {
        yield file;
      },
    },
  };
}

function describe({ status, exitCode, signal, stdout, stderr }: ScriptOutcome): string {
  const ending =
    status === "executed"
      ? exitCode === 0
        ? undefined
        : `(exit code ${exitCode ?? `none, ended by ${signal ?? "a signal"}`})`
      : `(${status === "timed-out" ? "ended at its time limit" : "stopped by the user"})`;
  const shown = [stdout, stderr].filter((part) => part !== "").map((part) => part.trimEnd());
  return cutText([...shown, ...(ending ? [ending] : [])].join("\n") || "(no output)", MAX_SHOWN_CHARACTERS);
}
