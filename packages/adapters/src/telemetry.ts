import {
  type Attributes,
  type Meter,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import {
  type Activation,
  type AgentTool,
  type AgentToolResult,
  type Session,
  type Skill,
  SkilletError,
  type Toolbox,
} from "@skillet/core";
import { parseJson } from "@skillet/kit/json";
import { cutText } from "@skillet/kit/text";

/** Options for tracing a session. */
export interface TelemetryOptions {
  /** Default: that of the process, under the name `skillet`. */
  readonly tracer?: Tracer | undefined;
  readonly meter?: Meter | undefined;
  /** Also reports skill descriptions and call arguments, which can be private; default: no. */
  readonly content?: boolean | undefined;
}

// Skill conventions of open-telemetry/semantic-conventions-genai at 06ec68e; no package exports them yet.
const OPERATION = "gen_ai.operation.name";
const TOOL = "gen_ai.tool.name";
const TOOL_ARGUMENTS = "gen_ai.tool.call.arguments";
const SKILL = "gen_ai.skill.name";
const DESCRIPTION = "gen_ai.skill.description";
const RESOURCE = "gen_ai.skill.resource.name";
const ERROR = "error.type";
const EXIT_CODE = "process.exit.code";
const DURATION = "gen_ai.execute_tool.duration";

/**
 * The session, reporting to OpenTelemetry: a span and a duration for every skill load, file read and script
 * run, and a span for every refused call of a host's tool. Pass it to any adapter instead of the session.
 *
 * @example
 * const session = traceSession(await skills.session());
 */
export function traceSession<Of extends Session>(session: Of, options: TelemetryOptions = {}): Of {
  const tracing = createTracing(session, options);
  const changes: Partial<Session> = {
    toolbox: async (how) => tracing.toolbox(await session.toolbox(how)),
    prompt: async (conversation, how) => {
      const prompt = await session.prompt(conversation, how);
      return { ...prompt, toolbox: tracing.toolbox(prompt.toolbox) };
    },
    activate: (name, how) =>
      tracing.span({ tool: "load_skill", skill: name, trigger: how?.source }, () =>
        session.activate(name, how),
      ),
    guard: async (call, how) => {
      const guarded = await session.guard(call, how);
      if (!guarded.allowed) tracing.refused(call.tool, guarded.decision.outcome);
      return guarded;
    },
    fork: async (how) => traceSession(await session.fork(how), options),
  };
  return derive(session, changes);
}

/** An object with these members that delegates all others to `base`. */
function derive<Of extends object>(base: Of, changes: object): Of {
  return Object.assign(Object.create(base), changes);
}

interface Subject {
  readonly tool: string;
  readonly skill?: unknown;
  readonly resource?: unknown;
  readonly trigger?: string | undefined;
  readonly input?: unknown;
}

function createTracing(session: Session, { tracer, meter, content = false }: TelemetryOptions) {
  const own = tracer ?? trace.getTracer("skillet");
  const duration = (meter ?? metrics.getMeter("skillet")).createHistogram(DURATION, { unit: "s" });

  // Only the name of an existing skill is reported, since a model can write anything there.
  const describe = (subject: Subject): { readonly name: string; readonly attributes: Attributes } => {
    const { tool, trigger = "model", input } = subject;
    const skill = findSkill(session, subject.skill);
    const attributes: Attributes = { [OPERATION]: "execute_tool", [TOOL]: tool, "skillet.trigger": trigger };
    if (skill !== undefined) {
      attributes[SKILL] = skill.qualifiedName;
      attributes["skillet.skill.origin"] = skill.origin;
      if (content) attributes[DESCRIPTION] = skill.manifest.description;
    }
    if (content && input !== undefined) attributes[TOOL_ARGUMENTS] = cut(JSON.stringify(input) ?? "");
    return { name: ["execute_tool", tool, ...(skill ? [skill.qualifiedName] : [])].join(" "), attributes };
  };

  const span = async <Result>(subject: Subject, call: () => Promise<Result>): Promise<Result> => {
    const { name, attributes } = describe(subject);
    const start = performance.now();
    return own.startActiveSpan(name, { attributes }, async (active) => {
      const measured: Attributes = { [TOOL]: subject.tool };
      try {
        const result = await call();
        const failure = describeResult(active, result);
        if (failure !== undefined) measured[ERROR] = failure;
        // Likewise a path: only one that was read or run is a file of the skill.
        const resource = failure === undefined ? cut(subject.resource) : undefined;
        if (resource !== undefined) active.setAttribute(RESOURCE, resource).updateName(`${name} ${resource}`);
        return result;
      } catch (error) {
        measured[ERROR] = SkilletError.isInstance(error) ? error.code : "_OTHER";
        fail(active, measured[ERROR]);
        throw error;
      } finally {
        duration.record((performance.now() - start) / 1000, measured);
        active.end();
      }
    });
  };

  const traceTool = (tool: AgentTool): AgentTool =>
    derive(tool, {
      execute: (input: unknown, how?: Parameters<AgentTool["execute"]>[1]) => {
        const { skill, name, path, file_path } = readFields(input);
        // A skill's own tool can use these names for content.
        const isOwn = tool.kind === "skill";
        return span(
          {
            tool: tool.name,
            skill: isOwn ? tool.name.split("__", 1)[0] : (skill ?? name),
            resource: isOwn ? undefined : (path ?? file_path),
            input,
          },
          () => tool.execute(input, how),
        );
      },
    });

  return {
    span,
    refused: (tool: string, outcome: string): void => {
      const { name, attributes } = describe({ tool: cut(tool) ?? "" });
      const span = own.startSpan(name, { attributes: { ...attributes, "skillet.decision": outcome } });
      fail(span, `tool-${outcome}`);
      span.end();
    },
    toolbox: (toolbox: Toolbox): Toolbox =>
      Object.defineProperty(derive(toolbox, {}), "tools", { get: () => toolbox.tools.map(traceTool) }),
  };
}

/** Adds the result of a call; returns the code of its failure. */
function describeResult(span: Span, result: unknown): string | undefined {
  const { isError, code, value } = result as Partial<AgentToolResult>;
  const { digest, treeDigest, exitCode } = (value ?? result) as Partial<Activation> & { exitCode?: unknown };
  if (typeof digest === "string") span.setAttribute("skillet.skill.digest", treeDigest ?? digest);
  if (typeof exitCode === "number") span.setAttribute(EXIT_CODE, exitCode);
  if (isError !== true) return undefined;
  const type = code ?? "_OTHER";
  if (!FAULTS.has(type)) span.setAttribute("skillet.decision", code === "approval-needed" ? "ask" : "deny");
  fail(span, type);
  return type;
}

/** Calls that went wrong without being refused. */
const FAULTS: ReadonlySet<string> = new Set(["script-failed", "tool-input-invalid", "skill-not-found"]);

// Without the message, which can name places on this machine or repeat what a model wrote.
function fail(span: Span, type: string): void {
  span.setAttribute(ERROR, type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function findSkill(session: Session, name: unknown): Skill | undefined {
  if (typeof name !== "string") return undefined;
  const { skills } = session.snapshot;
  return skills.find((one) => one.qualifiedName === name) ?? skills.find((one) => one.name === name);
}

function readFields(input: unknown): Readonly<Record<string, unknown>> {
  const given = typeof input === "string" ? parseJson(input) : input;
  return typeof given === "object" && given !== null ? { ...given } : {};
}

const MAX_CHARACTERS = 1_000;

function cut(value: unknown): string | undefined {
  return typeof value === "string" ? cutText(value, MAX_CHARACTERS) : undefined;
}
