import { hash } from "node:crypto";
import { showValue } from "../model-input.ts";
import { recordRefusal } from "../records/recorder.ts";
import { catalogOf } from "../search/catalog-for.ts";
import type { SessionCatalogOptions } from "../session.ts";
import { viewOf } from "../skill-view.ts";
import { childrenOf, type SessionState } from "../state.ts";
import { type AgentTool, createTool, type ToolDefinition } from "./agent-tool.ts";
import { declaredTool, type ListedTool, listDeclared } from "./declared-tools.ts";
import { type LoadParts, loadTool, type OnFork, readTool, scriptTool, searchTool } from "./skill-tools.ts";
import type { ObjectSchema } from "./strict-schema.ts";

/** Options for a toolbox. */
export interface ToolboxOptions {
  /** Puts schemas into OpenAI's strict form if possible; each tool's `strict` says whether it was. */
  readonly strict?: boolean | undefined;
  /** Whether there is a `search_skills`; default: if not every skill is listed. */
  readonly search?: boolean | undefined;
  /** Lists the skills in `load_skill`'s description, for hosts without a system prompt, like MCP servers. */
  readonly catalog?: Omit<SessionCatalogOptions, "format" | "guidance"> | undefined;
  /** Runs skills that ask for a sub-agent (`context: fork`); without it they are loaded like any other. */
  readonly onFork?: OnFork | undefined;
}

/**
 * The skill tools of one session; empty if it has no skills.
 *
 * @example
 * const toolbox = await session.toolbox();
 * toolbox.onChange(() => server.sendToolListChanged());
 */
export interface Toolbox {
  /** The present tools; tools that were read earlier stay usable. */
  readonly tools: readonly AgentTool[];
  /** Changes when the tools change, or which of them are active. */
  readonly version: string;
  /** Calls a listener whenever `version` has changed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** The declared tools of a session, and the listeners for changes. */
interface Listing {
  declared: readonly ListedTool[];
  /** How many searches were begun, and the last one whose result was used. */
  begun: number;
  taken: number;
  readonly listeners: Set<{ readonly listener: () => void; version: string; readonly toolbox: Toolbox }>;
}

const listings = new WeakMap<SessionState, Listing>();

export async function openToolbox(
  session: SessionState,
  parts: LoadParts,
  options: ToolboxOptions,
): Promise<Toolbox> {
  const listing = listings.get(session) ?? { declared: [], begun: 0, taken: 0, listeners: new Set() };
  listings.set(session, listing);
  await listAgain(session, listing);
  const load = loadTool(session, parts, options.onFork);
  const toolbox: Toolbox = {
    get tools() {
      const definitions = listDefinitions(session, listing, load, options);
      return definitions.map((one) => createTool(session, one, options.strict === true));
    },
    get version() {
      const facts = toolbox.tools.map((tool) => [tool, tool.isActive()]);
      return hash("sha256", JSON.stringify(facts), "hex").slice(0, 16);
    },
    onChange: (listener) => {
      const entry = { listener, version: toolbox.version, toolbox };
      listing.listeners.add(entry);
      return () => listing.listeners.delete(entry);
    },
  };
  return toolbox;
}

// A slow search must not bring back what a later one replaced.
async function listAgain(session: SessionState, listing: Listing): Promise<void> {
  listing.begun += 1;
  const own = listing.begun;
  const declared = await listDeclared(session);
  if (own > listing.taken) Object.assign(listing, { declared, taken: own });
}

/** Call it after anything that may have changed the tools of a session or of its children. */
export async function updateToolboxes(session: SessionState): Promise<void> {
  const listing = listings.get(session);
  if (listing !== undefined) {
    try {
      await listAgain(session, listing);
    } catch (error) {
      // The change stands. The earlier tools stay listed, each call is still checked against what is loaded,
      // and the operator finds the fault in the record.
      const message = error instanceof Error ? error.message : showValue(error);
      const fault = { code: "tools-unlisted", message: session.secrets.redact(message) };
      await recordRefusal(session.recorder, { what: "tool", subject: "the tools of skills", error: fault });
    }
    for (const entry of listing.listeners) {
      const { version } = entry.toolbox;
      if (version === entry.version) continue;
      entry.version = version;
      // A failing listener is the host's to notice, and must not undo the change.
      queueMicrotask(entry.listener);
    }
  }
  for (const child of childrenOf(session)) await updateToolboxes(child);
}

// A list of names costs its length in every request; larger libraries are searched.
const MAX_LISTED_NAMES = 200;
const MAX_LISTED_CHARACTERS = 8_000;

function listDefinitions(
  session: SessionState,
  listing: Listing,
  load: Omit<ToolDefinition, "description">,
  { search, catalog }: ToolboxOptions,
): readonly ToolDefinition[] {
  const names = viewOf(session).skills.map(({ qualifiedName }) => qualifiedName);
  if (names.length === 0 && session.active.size === 0) return [];
  const fits =
    names.length <= MAX_LISTED_NAMES &&
    names.reduce((sum, { length }) => sum + length, 0) <= MAX_LISTED_CHARACTERS;
  const omitted = session.told?.catalog.report.omitted ?? (fits ? 0 : names.length);
  const listed = catalog && catalogOf(session, { ...catalog, format: "tool" });
  const { runner, allowlist } = session;
  return [
    {
      ...load,
      description: listed?.text ?? LOAD,
      ...(fits && omitted === 0 && { shownSchema: withNames(load.inputSchema, names) }),
    },
    readTool(session),
    ...((search ?? Math.max(omitted, listed?.report.omitted ?? 0) > 0) ? [searchTool(session)] : []),
    ...(runner !== undefined && allowlist.scripts.length > 0 ? [scriptTool(session)] : []),
    ...listing.declared.map((tool) =>
      declaredTool(session, tool, (name) => listing.declared.find((one) => one.name === name)),
    ),
  ];
}

const LOAD =
  "Loads the instructions of a skill by its name. Load a skill when a task matches it, before you begin, and follow it.";

function withNames(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const { name } = schema.properties;
  return { ...schema, properties: { ...schema.properties, name: { ...name, enum: [...names] } } };
}
