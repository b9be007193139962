import { relative, resolve } from "node:path";
import {
  type Answer,
  type Ask,
  checkToolCall,
  type Narrowing,
  type Question,
  type ToolCall,
} from "@skillet/core";
import { narrowingTo } from "@skillet/core/internal";
import { guardedBy, OBEYED_PATHS, SECRET_PATHS } from "@skillet/kit/files";
import { textOf } from "@skillet/kit/json";

/** Who may approve calls of the agent's own tools. */
export interface PermissionOptions {
  /**
   * Calls that need no question, as in `allowed-tools`: `Bash(git status:*)`, `Write(docs/**)`. Credentials,
   * and files that other programs obey such as `.git/hooks`, need a rule that names them.
   */
  readonly allow: readonly string[];
  readonly workspace: string;
  /** Absent if there is no user to ask. */
  readonly ask?: Ask | undefined;
}

/** The user's approvals, whether the session asks because of a rule or the agent because it writes. */
export interface Permissions {
  /** For the session. `permit` does not repeat a question that was allowed here. */
  readonly ask: Ask | undefined;
  /** Asks, if necessary, for a call that writes or runs something. Undefined, or why not, for the model. */
  permit(call: ToolCall & { readonly reason: string }, signal?: AbortSignal): Promise<string | undefined>;
}

export function createPermissions({ allow, workspace, ask }: PermissionOptions): Permissions {
  const narrowing = readAllowed(allow, workspace);
  /** Calls that the user has just allowed once, and those that are allowed until the agent ends. */
  const once = new Set<string>();
  const always = new Set<string>();
  let asking: Promise<unknown> = Promise.resolve();
  // Several calls may come at the same time, also from children, and a user answers one question at a time.
  const inTurn: Ask = (question, options) => {
    const answered = asking.then((): ReturnType<Ask> | undefined => {
      if (options.signal.aborted) return undefined;
      // The same call may have been allowed for good while this question was queued.
      if (question.call !== undefined && always.has(keyOf(question.call))) return ALLOWED;
      return ask?.(question, options);
    });
    asking = answered.catch(() => undefined);
    return answered;
  };
  const isCovered = (call: ToolCall, guard: string | undefined): boolean => {
    const rules = guard === undefined ? allow : allow.filter((rule) => doesName(rule, guard, workspace));
    const covering = rules.length === allow.length ? narrowing : readAllowed(rules, workspace);
    const given = {
      layers: [],
      mode: "locked",
      interactive: false,
      directories: { project: workspace },
    } as const;
    return rules.length > 0 && checkToolCall(call, { ...given, narrowing: [[covering]] }).outcome === "allow";
  };
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
      const guard = guardOf({ tool, input }, workspace);
      if (once.delete(key) || always.has(key) || isCovered({ tool, input }, guard)) return undefined;
      const rule = guard === undefined ? "" : `, by a rule that names ${guard}`;
      if (ask === undefined)
        return `${tool} was not called: it needs a person's yes, and there is no one to ask. Do without it, or tell the user to allow it with --allow-tool${rule}.`;
      const question: Question = {
        kind: "tool",
        skill: "",
        reason,
        choices: ["allow", "always", "deny"],
        call: { tool, input },
      };
      const answer: Answer | undefined = await inTurn(question, { signal });
      if (answer?.choice === "always") always.add(key);
      return answer?.choice === "allow" || answer?.choice === "always"
        ? undefined
        : `${tool} was not called: the user said no. Do without it, or ask what they want instead.`;
    },
  };
}

/** Why a file needs its own rule: programs outside the sandbox obey it, or it is a credential. */
export function guardOf({ tool, input }: ToolCall, workspace: string): string | undefined {
  const path = textOf(input, "file_path");
  const guarded = tool === "Read" ? SECRET_PATHS : [...SECRET_PATHS, ...OBEYED_PATHS];
  return path && guardedBy(relative(workspace, path), guarded);
}

/** Compares names below the workspace: in a workspace under `.claude`, not every rule names `.claude`. */
function doesName(rule: string, guard: string, workspace: string): boolean {
  const [, pattern] = /^[^(]*\((.*)\)$/s.exec(rule.trim()) ?? [];
  return (
    pattern !== undefined &&
    guardedBy(relative(workspace, resolve(workspace, pattern)), [guard]) !== undefined
  );
}

const ALLOWED = Promise.resolve({ choice: "allow" } as const);

function keyOf({ tool, input }: { readonly tool: unknown; readonly input?: unknown }): string {
  return JSON.stringify([tool, input]);
}

/** Reads the rules as for skills: a list of tools covers what the same `allowed-tools` would. */
function readAllowed(allowed: readonly string[], project: string): Narrowing {
  return narrowingTo(allowed, { by: "--allow-tool", project }).narrowing;
}
