import {
  type Answer,
  type Ask,
  checkToolCall,
  type Narrowing,
  narrowingOf,
  type Question,
  type ToolCall,
} from "@skillet/core";

/** Who may say yes to calls of the agent's own tools. */
export interface PermissionOptions {
  /** Calls that need no question, as in `allowed-tools`: `Bash(git status:*)`, `Write(docs/**)`. */
  readonly allow: readonly string[];
  readonly workspace: string;
  /** Absent: there is no person to ask. */
  readonly ask?: Ask | undefined;
}

/** The person's answers about calls, whether the session asks because of a rule or the agent because it writes. */
export interface Permissions {
  /** For the session: the same question is not put again by `permit`. */
  readonly ask: Ask | undefined;
  /** Whether a call that writes or runs something may be made; undefined, or why not, for the model. */
  permit(call: ToolCall & { readonly reason: string }, signal?: AbortSignal): Promise<string | undefined>;
}

export function createPermissions({ allow, workspace, ask }: PermissionOptions): Permissions {
  const narrowing = readAllowed(allow, workspace);
  /** Calls that a person has just said yes to, and those that may be made again until the agent ends. */
  const once = new Set<string>();
  const always = new Set<string>();
  let asking: Promise<unknown> = Promise.resolve();
  // Several calls may come at once, of children too, and a person answers one question at a time.
  const inTurn: Ask = (question, options) => {
    const answered = asking.then((): ReturnType<Ask> | undefined => {
      if (options.signal.aborted) return undefined;
      // Since it was put in line, the same call may have got an answer for good.
      if (question.call !== undefined && always.has(keyOf(question.call))) return ALLOWED;
      return ask?.(question, options);
    });
    asking = answered.catch(() => undefined);
    return answered;
  };
  const isCovered = (call: ToolCall): boolean =>
    allow.length > 0 &&
    checkToolCall(call, {
      ...{ narrowing: [[narrowing]], layers: [], mode: "locked", interactive: false },
      directories: { project: workspace },
    }).outcome === "allow";
  return {
    ask:
      ask &&
      (async (question, options) => {
        const answer = await inTurn(question, options);
        if (question.kind === "tool" && question.call !== undefined && answer?.choice === "allow")
          once.add(keyOf(question.call));
        return answer;
      }),
    permit: async ({ tool, input, reason }, signal = new AbortController().signal) => {
      const key = keyOf({ tool, input });
      if (once.delete(key) || always.has(key) || isCovered({ tool, input })) return undefined;
      if (ask === undefined)
        return `${tool} was not called: it needs a person's yes, and there is no one to ask. Do without it, or tell the user to allow it with --allow-tool.`;
      const question: Question = {
        ...{ kind: "tool", skill: "", reason, choices: ["allow", "always", "deny"], call: { tool, input } },
      };
      const answer: Answer | undefined = await inTurn(question, { signal });
      if (answer?.choice === "always") always.add(key);
      return answer?.choice === "allow" || answer?.choice === "always"
        ? undefined
        : `${tool} was not called: the user said no. Do without it, or ask what they want instead.`;
    },
  };
}

const ALLOWED = Promise.resolve({ choice: "allow" } as const);

function keyOf({ tool, input }: { readonly tool: unknown; readonly input?: unknown }): string {
  return JSON.stringify([tool, input]);
}

/** The same reading of rules and of shell commands as for skills: a list of tools covers what `allowed-tools` would. */
function readAllowed(allowed: readonly string[], project: string): Narrowing {
  const names = {
    name: "allow-tool",
    qualifiedName: "--allow-tool",
    directory: project,
    path: project,
  } as const;
  const manifest = { tools: { allowed, disallowed: [] } } as never;
  return narrowingOf({ ...names, scope: "explicit", origin: "local", manifest }, { source: "user", project })
    .narrowing;
}
