import type { Execution, Gating, Invocation, Manifest, Triggers, Ui } from "./manifest.ts";
import { createRawMap } from "./raw-header.ts";

// All of these are shared and frozen, so that a plain manifest costs few allocations.

/** A list of nothing. */
export const EMPTY_LIST: readonly never[] = Object.freeze([]);

/** A map of nothing. */
export const EMPTY_RECORD: Readonly<Record<string, never>> = Object.freeze(createRawMap()) as Readonly<
  Record<string, never>
>;

/** Triggers of a skill that names none. */
export const NO_TRIGGERS: Triggers = Object.freeze({
  keywords: EMPTY_LIST,
  verbs: EMPTY_LIST,
  patterns: EMPTY_LIST,
});

/** Invocation by anyone, anywhere. */
export const DEFAULT_INVOCATION: Invocation = Object.freeze({
  model: true,
  user: true,
  paths: EMPTY_LIST,
  products: EMPTY_LIST,
  internal: false,
});

/** Arguments of a skill that names none. */
export const NO_ARGUMENTS: Manifest["args"] = Object.freeze({ names: EMPTY_LIST });

/** Execution in the conversation itself. */
export const DEFAULT_EXECUTION: Execution = Object.freeze({ context: "inline" });

/** Tools of a skill that names none. */
export const NO_TOOLS: Manifest["tools"] = Object.freeze({ allowed: EMPTY_LIST, disallowed: EMPTY_LIST });

/** Requirements of a skill that has none. */
export const NO_GATING: Gating = Object.freeze({
  always: false,
  os: EMPTY_LIST,
  bins: EMPTY_LIST,
  anyBins: EMPTY_LIST,
  commands: EMPTY_LIST,
  config: EMPTY_LIST,
  environments: EMPTY_LIST,
  credentialFiles: EMPTY_LIST,
  env: EMPTY_LIST,
  mcp: EMPTY_LIST,
  skills: EMPTY_LIST,
  requiresTools: EMPTY_LIST,
  requiresToolsets: EMPTY_LIST,
  fallbackForTools: EMPTY_LIST,
  fallbackForToolsets: EMPTY_LIST,
});

/** Appearance of a skill that says nothing about it. */
export const NO_UI: Ui = Object.freeze({});
