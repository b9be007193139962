import type { Session } from "@skillet/core";
import { onceUntilSuccess } from "@skillet/kit/async";
import { asObject, fieldOf, type JsonObject, textOf } from "@skillet/kit/json";
import { cutText, showLine } from "@skillet/kit/text";
import {
  answerTo,
  type Call,
  FAULT,
  faultAnswer,
  HANDSHAKE_VERSIONS,
  isRequestId,
  META,
  MODERN_VERSION,
  metaOf,
  notification,
  ProtocolFault,
  type RequestId,
  readCall,
  SKILLS_EXTENSION,
  textParam,
} from "../protocol/json-rpc.ts";
import type { ServedSkills } from "./served-skills.ts";
import type { SkillCalls } from "./skill-calls.ts";

/** Lists that can change, by the names of their capabilities. */
const LISTS = ["tools", "prompts", "resources"] as const;
type ListName = (typeof LISTS)[number];

/** What the connections of one server share. */
export interface ConnectionParts {
  readonly served: ServedSkills;
  readonly serverInfo: JsonObject;
  open(clientName: string): Promise<{ readonly session: Session; readonly calls: SkillCalls }>;
  /** How long a client may keep a list. */
  ttlMs(): number;
  onFault(error: unknown): void;
}

/** A client with more requests is not waiting for answers. */
const MAX_IN_FLIGHT = 64;
const MAX_SUBSCRIPTIONS = 16;

type Opened = Awaited<ReturnType<ConnectionParts["open"]>>;

/**
 * One client's conversation over any transport: its session, its requests under way and its subscriptions. It
 * speaks both forms of the protocol; each request says which one it uses.
 */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #send: (message: object) => void;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #subscriptions = new Map<RequestId, ReadonlySet<ListName>>();
  #clientName = "mcp";
  #isInitialized = false;
  #isClosed = false;
  #opened: Promise<Opened> | undefined;
  readonly #open: () => Promise<Opened> = onceUntilSuccess(() => {
    this.#opened = this.#parts.open(this.#clientName);
    return this.#opened;
  });

  /** @param send Sends messages that answer no request. */
  constructor(parts: ConnectionParts, send: (message: object) => void) {
    this.#parts = parts;
    this.#send = send;
  }

  /** The answer to a message; undefined for a notification, and for a subscription that stays open. */
  async handle(message: unknown): Promise<object | undefined> {
    let id: RequestId | null = null;
    try {
      const given = fieldOf(message, "id");
      if (isRequestId(given)) id = given;
      const call = readCall(message);
      if (call.id === undefined) {
        this.#notice(call);
        return undefined;
      }
      return await this.#answer(call, call.id);
    } catch (error) {
      return faultAnswer(id, this.#toFault(error));
    }
  }

  /** Picks up changed skills. */
  async refresh(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    if (!this.#isClosed) await opened?.session.refresh();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#inFlight.values()) controller.abort();
    this.#subscriptions.clear();
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.session.close();
  }

  async #answer(call: Call, id: RequestId): Promise<object | undefined> {
    const isModern = META.version in metaOf(call.params);
    if (isModern) checkEnvelope(call);
    if (this.#isClosed || this.#inFlight.has(id) || this.#inFlight.size >= MAX_IN_FLIGHT)
      throw new ProtocolFault(FAULT.request, "Too many requests at once, or one with an id that is in use.");
    if (isModern && call.method === "subscriptions/listen") return this.#listen(call, id);
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    try {
      const result = await this.#perform(call, { isModern, signal: controller.signal, callId: String(id) });
      return answerTo(id, isModern ? this.#stamp(call.method, result) : result);
    } finally {
      this.#inFlight.delete(id);
    }
  }

  async #perform(
    { method, params }: Call,
    how: { readonly isModern: boolean; readonly signal: AbortSignal; readonly callId: string },
  ): Promise<JsonObject> {
    const { served } = this.#parts;
    const cursor = fieldOf(params, "cursor") === undefined ? undefined : textParam(params, "cursor");
    if (!how.isModern && method === "initialize") return this.#initialize(params);
    if (!how.isModern && (method === "ping" || method === "logging/setLevel")) return {};
    if (how.isModern) this.#clientName = nameOf(metaOf(params)[META.clientInfo]);
    if (!isMethod(method) || (!how.isModern && method === "server/discover"))
      throw new ProtocolFault(FAULT.method, `There is no method ${method} here.`);
    const { session, calls } = await this.#open();
    const uri = (): string => textParam(params, "uri");
    const answers: Readonly<Record<Method, () => JsonObject | Promise<JsonObject>>> = {
      "server/discover": () => ({ supportedVersions: [MODERN_VERSION], ...this.#describe(calls) }),
      "tools/list": () => calls.listTools(),
      "tools/call": () => this.#watchTools(calls, () => calls.callTool(params, how)),
      "prompts/list": () => calls.listPrompts(cursor),
      "prompts/get": () => this.#watchTools(calls, () => calls.getPrompt(params, how)),
      "resources/list": () => served.listResources(session, cursor),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "resources/read": () => served.read(session, uri(), how.signal),
      "resources/directory/read": () => served.readDirectory(session, uri(), cursor),
      "skills/list": () => served.list(session, cursor),
      "skills/get": () => served.get(session, uri()),
    };
    return answers[method]();
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    const asked = fieldOf(params, "protocolVersion");
    this.#clientName = nameOf(fieldOf(params, "clientInfo"));
    const { calls } = await this.#open();
    const protocolVersion = HANDSHAKE_VERSIONS.find((version) => version === asked) ?? HANDSHAKE_VERSIONS[0];
    return { protocolVersion, serverInfo: this.#parts.serverInfo, ...this.#describe(calls) };
  }

  #describe({ instructions }: SkillCalls): JsonObject {
    return { capabilities: CAPABILITIES, ...(instructions !== "" && { instructions }) };
  }

  #stamp(method: string, result: JsonObject): JsonObject {
    const _meta = { [META.serverInfo]: this.#parts.serverInfo };
    const isKept = method !== "tools/call" && method !== "prompts/get";
    const cached = isKept && { ttlMs: this.#parts.ttlMs(), cacheScope: "private" };
    return { ...result, ...cached, resultType: "complete", _meta };
  }

  /** A loaded skill may bring its own tools. */
  async #watchTools<Result>(calls: SkillCalls, act: () => Promise<Result>): Promise<Result> {
    const before = calls.toolNames();
    try {
      return await act();
    } finally {
      if (!this.#isClosed && calls.toolNames() !== before) this.tell(["tools"]);
    }
  }

  #notice({ method, params }: Call): void {
    if (method === "notifications/initialized") this.#isInitialized = true;
    if (method !== "notifications/cancelled") return;
    const id = fieldOf(params, "requestId");
    if (!isRequestId(id)) return;
    this.#inFlight.get(id)?.abort();
    this.#subscriptions.delete(id);
  }

  #listen({ params }: Call, id: RequestId): undefined {
    const filter = asObject(params.notifications);
    if (filter === undefined) throw new ProtocolFault(FAULT.params, "`notifications` must be an object.");
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new ProtocolFault(FAULT.internal, "There are too many subscriptions on this connection.");
    const lists = LISTS.filter((list) => filter[`${list}ListChanged`] === true);
    const notifications = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
    const _meta = { [META.subscription]: id };
    this.#send(notification("notifications/subscriptions/acknowledged", { notifications, _meta }));
    this.#subscriptions.set(id, new Set(lists));
    return undefined;
  }

  /** Tells the client which lists to fetch again. */
  tell(lists: readonly ListName[] = LISTS): void {
    for (const list of lists) {
      const method = `notifications/${list}/list_changed`;
      if (this.#isInitialized) this.#send(notification(method));
      for (const [id, wanted] of this.#subscriptions)
        if (wanted.has(list)) this.#send(notification(method, { _meta: { [META.subscription]: id } }));
    }
  }

  #toFault(error: unknown): ProtocolFault {
    if (error instanceof ProtocolFault) return error;
    if (!this.#isClosed && !(error instanceof Error && error.name === "AbortError"))
      this.#parts.onFault(error);
    return new ProtocolFault(FAULT.internal, "The request could not be carried out.");
  }
}

/** The client's own name, which is part of every record of its calls. */
function nameOf(info: unknown): string {
  return cutText(showLine(textOf(info, "name") ?? "mcp"), MAX_NAME_CHARACTERS);
}

const MAX_NAME_CHARACTERS = 100;

/** Throws if a request of the newer form lacks a required field. */
function checkEnvelope({ params }: Call): void {
  const meta = metaOf(params);
  const requested = meta[META.version];
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: String(requested).slice(0, 100) };
    throw new ProtocolFault(FAULT.version, `This server speaks ${MODERN_VERSION}.`, data);
  }
  if (asObject(meta[META.clientCapabilities]) === undefined)
    throw new ProtocolFault(FAULT.params, `The request lacks ${META.clientCapabilities} in its _meta.`);
}

const METHODS = [
  ...(["server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get"] as const),
  ...(["resources/list", "resources/templates/list", "resources/read"] as const),
  ...(["resources/directory/read", "skills/list", "skills/get"] as const),
];
type Method = (typeof METHODS)[number];
const isMethod = (name: string): name is Method => METHODS.some((method) => method === name);

const CAPABILITIES: JsonObject = {
  ...Object.fromEntries(LISTS.map((list) => [list, { listChanged: true }])),
  extensions: { [SKILLS_EXTENSION]: { directoryRead: true } },
};
