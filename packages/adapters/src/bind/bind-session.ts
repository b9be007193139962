import {
  type AgentTool,
  type AgentToolOptions,
  type AgentToolResult,
  type CompactOptions,
  type PromptOptions,
  type Question,
  type Session,
  SkilletError,
  type Turn,
} from "@skillet/core";
import { fieldOf } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";

/** Options for binding a session to a loop; the same for every SDK. */
export interface BindOptions extends Omit<PromptOptions, "signal"> {
  /** The user's messages so far, newest last; they decide which skills are listed if not all fit. */
  readonly conversation?: readonly string[] | undefined;
}

/** A call that a model makes. */
export interface BoundCall {
  readonly name: string;
  readonly input: unknown;
  readonly callId?: string | undefined;
  /** It only organises the conversation, so no skill's `allowed-tools` removes it. */
  readonly isHostTool?: boolean | undefined;
}

/** A tool as a model is shown it; always the same bytes for the same skills. */
export type BoundTool = Pick<AgentTool, "name" | "description" | "inputSchema" | "strict" | "kind">;

/** Whether a call may be made; `text` tells the model why not, `question` asks the user to decide. */
type Judgement =
  | { readonly outcome: "allow" }
  | { readonly outcome: "deny"; readonly text: string }
  | { readonly outcome: "ask"; readonly text: string; readonly question: Question };

/** What every adapter offers besides its SDK's own parts. */
export interface LoopSkills {
  /** Picks up skills that changed on disk or in the configuration; the next request tells the model, once. */
  refresh(): Promise<void>;
  /** The message to add after you have shortened the history: the catalogue and the loaded instructions. */
  compacted(options?: CompactOptions): Promise<{ role: "user"; content: string } | undefined>;
  /** Ends the turn; throws a fault that the operator must fix, if no later request has thrown it. */
  close(): Promise<void>;
}

/** A session in the form that all adapters share. */
export interface BoundSession {
  readonly loop: LoopSkills;
  /** The host's own instructions, then the catalogue; empty without either. */
  instructionsAfter(own: string | undefined): string;
  /** The catalogue and hooks' texts from the start; `takeNotices` reports changes. Empty without either. */
  readonly instructions: string;
  /** A skill's own tools come last, so that they do not move the others. */
  readonly tools: readonly BoundTool[];
  isSkillTool(name: string): boolean;
  isActive(name: string): boolean;
  /** Judges a call once, by its id; records a refusal. */
  judge(call: BoundCall): Promise<Judgement>;
  /** Carries out a call of a skill tool. `isApproved`: the user approved it through the host's own means. */
  execute(
    call: BoundCall,
    options?: Omit<AgentToolOptions, "calledBy" | "approval"> & { readonly isApproved?: boolean },
  ): Promise<AgentToolResult>;
  /** Whether a call was judged before and allowed; each answer counts for one call. */
  takeAllowed(call: BoundCall): boolean;
  /** Whether a call of the host's own tool may be made now. */
  guard(call: BoundCall, options: { readonly isApproved: boolean }): Promise<Judgement>;
  /** Tells hooks of allowed plugins about a host tool's call; `takeNotices` has what they say. */
  called(call: BoundCall, response: unknown): Promise<void>;
  /** Begins a turn, which ends the one before. */
  beginTurn(): Promise<void>;
  /** The question for the user about a call that waits for an answer. */
  questionOf(callId: string | undefined): Question | undefined;
  /** What the model must be told: changes of skills, and texts of hooks. */
  takeNotices(): readonly string[];
  /**
   * The messages of a request with news added; earlier news stays where it was, so that what was sent before
   * does not change. A user's message at the end of the first request of a run begins a turn.
   */
  prepare<Message>(messages: readonly Message[], isFirst: boolean): Promise<Message[]>;
  /** The text to put back after the host has shortened its history. */
  compact(options?: CompactOptions): Promise<string>;
  /** Throws a fault that the operator must fix and no model was told. */
  throwFault(): void;
}

// Includes judged calls that were never made, such as those that the user refused.
const MAX_JUDGED_CALLS = 1000;

/** @param host The name in records, such as `ai-sdk`. */
export async function bindSession(
  session: Session,
  host: string,
  { conversation = [], tellsHooks = true, ...options }: BindOptions & { readonly tellsHooks?: boolean },
): Promise<BoundSession> {
  const { text: catalog, toolbox } = await session.prompt(conversation, options);
  const instructions = [catalog, ...session.startContext].filter(Boolean).join("\n\n");
  const shown = new Map<string, BoundTool>();
  const judged = new Map<
    string,
    { readonly call: string; readonly judgement: Judgement; readonly moment: readonly unknown[] }
  >();
  let changes = 0;
  const moment = (): readonly unknown[] => [changes, session.mode, session.snapshot];
  const notices: string[] = [];
  let told: readonly { readonly index: number; readonly message: Notice }[] = [];
  let fault: unknown;
  let turn: Turn | undefined;
  const find = (name: string): AgentTool | undefined => toolbox.tools.find((tool) => tool.name === name);
  const calledBy = ({ callId }: BoundCall) => ({ host, callId });
  const guard = async (call: BoundCall, question?: Question): Promise<Judgement> => {
    const approval = question && { choice: "allow", ...(question.id !== undefined && { id: question.id }) };
    const { name: tool, input, isHostTool } = call;
    const how = { calledBy: calledBy(call), approval, isHostTool };
    const guarded = await session.guard({ tool, input }, how);
    if (guarded.allowed) return { outcome: "allow" };
    const { text: why, question: open } = guarded;
    return open === undefined
      ? { outcome: "deny", text: why }
      : { outcome: "ask", text: why, question: open };
  };
  const judgeNow = async (call: BoundCall): Promise<Judgement> => {
    const tool = find(call.name);
    if (tool === undefined) return guard(call);
    // A call that a rule denies is refused, and recorded, when it is made.
    if (session.approvals !== "later") return { outcome: "allow" };
    const { outcome, reason, question } = await tool.preflight(call.input);
    return outcome === "ask" && question ? { outcome, text: reason, question } : { outcome: "allow" };
  };
  const recall = (call: BoundCall): Judgement | undefined => {
    const known = judged.get(call.callId ?? "");
    if (known?.call !== keyOf(call)) return undefined;
    // Approval was about the rules of that time, and the user may have thought about the call for an hour.
    const now = moment();
    const isStale =
      known.judgement.outcome === "allow" && known.moment.some((one, place) => one !== now[place]);
    return isStale ? undefined : known.judgement;
  };
  const judge = async (call: BoundCall): Promise<Judgement> => {
    const { callId } = call;
    const known = recall(call);
    if (known !== undefined) return known;
    const before = moment();
    const judgement = await judgeNow(call);
    if (callId !== undefined) {
      judged.set(callId, { call: keyOf(call), judgement, moment: before });
      const [oldest] = judged.keys();
      if (judged.size > MAX_JUDGED_CALLS && oldest !== undefined) judged.delete(oldest);
    }
    return judgement;
  };
  /** The judgement, combined with the user's answer; each counts for one call. */
  const settle = async (call: BoundCall, isApproved: boolean): Promise<Judgement> => {
    const judgement = await judge(call);
    judged.delete(call.callId ?? "");
    if (judgement.outcome !== "ask" || !isApproved || find(call.name) !== undefined) return judgement;
    return guard(call, judgement.question);
  };
  const called = async ({ name: tool, input, callId = "" }: BoundCall, response: unknown): Promise<void> => {
    try {
      const { context } = await session.afterToolCall({ tool, input }, response);
      // With the id, since a hook may repeat itself. If the session has ended, its next call says so.
      notices.push(...context.map((said) => `After ${tool} ${callId}: ${said}`.replace(" :", ":")));
    } catch (error) {
      if (!(SkilletError.isInstance(error) && error.code === "session-ended")) fault ??= error;
    }
  };
  const beginTurn = async (): Promise<void> => {
    changes += 1;
    await turn?.end();
    turn = session.turn();
  };
  const throwFault = (): void => {
    const thrown = fault;
    fault = undefined;
    if (thrown !== undefined) throw thrown;
  };
  const compact = async (given?: CompactOptions): Promise<string> => {
    notices.length = 0;
    told = [];
    return (await session.compact(given)).text;
  };
  const refresh = async (): Promise<void> => {
    const change = await session.refresh();
    if (change !== undefined) notices.push(change.text);
  };
  const close = async (): Promise<void> => {
    await turn?.end().catch((error: unknown) => {
      fault ??= error;
    });
    throwFault();
  };
  const compacted: LoopSkills["compacted"] = async (given) => {
    const content = await compact(given);
    return content === "" ? undefined : { role: "user", content };
  };
  return {
    loop: { refresh, compacted, close },
    instructions,
    instructionsAfter: (own = "") => [own, instructions].filter(Boolean).join("\n\n"),
    get tools() {
      for (const tool of toolbox.tools) if (!shown.has(tool.name)) shown.set(tool.name, showTool(tool));
      return sortByByteOrder([...shown.values()], ({ kind, name }) => `${kind === "skill" ? 1 : 0}${name}`);
    },
    isSkillTool: (name) => shown.has(name) || find(name) !== undefined,
    isActive: (name) => find(name)?.isActive() === true,
    judge,
    takeAllowed: (call) => recall(call)?.outcome === "allow" && judged.delete(call.callId ?? ""),
    guard: async (call, { isApproved }) => {
      try {
        return await settle(call, isApproved);
      } catch (error) {
        fault ??= error;
        return { outcome: "deny", text: UNUSABLE.text };
      }
    },
    execute: async (call, { isApproved = false, ...how } = {}) => {
      const tool = find(call.name);
      if (tool === undefined) return GONE;
      try {
        const judgement = isApproved ? await settle(call, true) : undefined;
        const id = judgement?.outcome === "ask" ? judgement.question.id : undefined;
        const approval = id && { choice: "allow", id };
        const result = await tool.execute(call.input, { ...how, calledBy: calledBy(call), approval });
        if (tellsHooks && tool.kind !== "load") await called(call, result.text); // Loading tells them itself.
        return result;
      } catch (error) {
        if (how.signal?.aborted === true) throw error;
        // SDKs show a model what a tool throws; this is for the operator, as it can name local paths.
        fault ??= error;
        return UNUSABLE;
      } finally {
        if (tool.kind === "load") changes += 1;
      }
    },
    called,
    beginTurn,
    prepare: async <Message>(given: readonly Message[], isFirst: boolean) => {
      const messages: (Message | Notice)[] = [...given];
      if (isFirst && (given.at(-1) as Partial<Notice> | undefined)?.role === "user") await beginTurn();
      // Some loops keep them in the history, others do not.
      for (const { index, message } of told)
        if (!messages.some((one) => fieldOf(one, "content") === message.content))
          messages.splice(index, 0, message);
      for (const content of notices.splice(0)) {
        const message = { role: "user", content } as const;
        told = [...told, { index: messages.length, message }];
        messages.push(message);
      }
      return messages as Message[];
    },
    questionOf: (callId = "") => {
      const judgement = judged.get(callId)?.judgement;
      return judgement?.outcome === "ask" ? judgement.question : undefined;
    },
    takeNotices: () => notices.splice(0),
    compact,
    throwFault,
  };
}

/** A message in the form of most SDKs. */
interface Notice {
  readonly role: "user";
  readonly content: string;
}

const GONE: AgentToolResult = {
  isError: true,
  code: "tool-outdated",
  text: "This tool is not there any more: the skills have changed. Go on without it.",
};
const UNUSABLE: AgentToolResult = {
  isError: true,
  code: "unknown",
  text: "Skills cannot be used at the moment. Go on without them, and tell the user.",
};

// Ids come from models and hosts, so a reused id must not let another call pass.
function keyOf({ name, input }: BoundCall): string {
  return JSON.stringify([name, input]);
}

// Without the list of names: it would change with the skills, and later requests would then start differently
// and miss the provider's cache. The catalogue has the names; a wrong one is answered with the nearest.
function showTool({ name, description, inputSchema, strict, kind }: AgentTool): BoundTool {
  const { name: skill, ...properties } = inputSchema.properties;
  if (kind !== "load" || skill === undefined) return { name, description, inputSchema, strict, kind };
  const { enum: _names, ...plain } = skill;
  const schema = { ...inputSchema, properties: { name: plain, ...properties } };
  return { name, description, inputSchema: schema, strict, kind };
}

/** Whether a setting of an SDK or a provider lists skills of its own. */
export function listsSkills(setting: unknown): boolean {
  const skills = fieldOf(setting, "skills");
  return Array.isArray(skills) && skills.length > 0;
}

/** The files of a result, in the form that model APIs take. */
export function filesOf({
  parts = [],
}: AgentToolResult): Record<"mediaType" | "base64" | "filename", string>[] {
  const files = parts.filter((part) => part.type === "file");
  return files.map(({ data, mediaType, filename }) => {
    return { mediaType, base64: Buffer.from(data).toString("base64"), filename };
  });
}

/** Refuses a second skills feature next to ours: models would mix up the two, and only ours is guarded. */
export function refuseNativeSkills(what: string | undefined): void {
  if (what === undefined) return;
  const message = `${what} is a skills feature of its own, and its skills bypass trust, scan and policy; leave it out, or do without this adapter.`;
  throw new SkilletError("native-skills-active", message, { data: { what } });
}

/** The first tool with a name of ours, or a name under which SDKs and libraries load skills themselves. */
export function findNativeTool(names: readonly string[], ours: readonly BoundTool[]): string | undefined {
  const taken = new Set([...NATIVE_TOOLS, ...ours.map(({ name }) => name)]);
  const found = names.find((name) => taken.has(name));
  return found && `The tool ${found}`;
}

// bash-tool, OpenAI's sandbox, Mastra, ADK, Genkit, Cloudflare, Strands, Claude Code.
const NATIVE_TOOLS: readonly string[] = [
  ...["load_skill", "read_skill_resource", "run_skill_script", "search_skills", "skill", "Skill", "skills"],
  ...["use_skill", "activate_skill", "list_skills", "load_skill_resource", "run_skill_inline_script"],
];
