import { dirname, isAbsolute, resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import type { Locator } from "@skillet/kit/located";
import {
  array,
  flag,
  lenient,
  matching,
  object,
  oneOf,
  optional,
  partial,
  record,
  refine,
  type Schema,
  scalar,
  time,
  wholeNumber,
} from "@skillet/kit/schema";
import { serverUrl } from "../plugin/agent-plugin-servers.ts";
import { ORIGINS } from "../registry/skill.ts";
import type { TraversalLimits } from "../source/local/traversal-limits.ts";
import {
  type AgentConfig,
  type AgentPrices,
  type DirectoryScope,
  type EvalConfig,
  type HubConfig,
  type JudgeConfig,
  type McpConfig,
  type McpServerConfig,
  type ModelConfig,
  type PluginDefinition,
  POLICY_ACTIONS,
  POLICY_MODES,
  POLICY_SOURCES,
  type PolicyRule,
  type Profile,
  RANKED_SCOPES,
  type RankedScope,
  type ScanConfig,
  type SignatureRule,
  type SkillDirectory,
  type SkillOverride,
} from "./config.ts";
import type { ConfigLayer, ConfigValues } from "./config-layer.ts";
import { parseScriptReference } from "./script-reference.ts";
import { parseToolRule } from "./tool-rule/parse-tool-rule.ts";

const MAX_TEXT_CHARACTERS = 4096;
const MAX_SCRIPT_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const MAX_LIMITS: TraversalLimits = { depth: 64, directories: 10_000_000, entries: 100_000_000 };
/** Every rule with a star is tested against every skill. */
const MAX_RULES = 1000;

/** JSON and YAML have no currency; more than this per million tokens is a mistake. */
const price: Schema<number> = scalar("a price for a million tokens, such as 2.5", (value) =>
  typeof value === "number" && value >= 0 && value <= 100_000 ? value : undefined,
);
const REPORT = { unknown: "report" } as const;
const DIGITS = { hint: "write a number in that range, in digits and without quotes" };

export interface SchemaOptions {
  readonly kind: ConfigLayer["kind"];
  readonly file?: string;
  readonly baseDirectory: string;
  readonly userHome: string;
}

/** The schema of a layer, with every key that exists. A faulty value is dropped; the rest is still read. */
export function configSchema(options: SchemaOptions, locate: Locator): Schema<ConfigValues> {
  const path: Schema<string> = refine(text, (value) => expandPath(value, options));
  // Where it is read from is not where it was written.
  const source: Schema<string> = refine(text, (value) =>
    /^\.{1,2}(?:\/|$)/.test(value) ? expandPath(value, options) : value,
  );
  return partial<ConfigValues>(
    {
      skills: partial<NonNullable<ConfigValues["skills"]>>(
        {
          plugins: list(plugin),
          pluginsDir: path,
          userDir: path,
          disabledBundled: list(text),
          enabledBundled: list(text),
          scriptTimeout: wholeNumber(1, MAX_SCRIPT_TIMEOUT_MS, { unit: "milliseconds", ...DIGITS }),
          directories: list(directory(path, options.kind)),
          precedence,
          limits: partial<Partial<TraversalLimits>>(
            {
              depth: wholeNumber(0, MAX_LIMITS.depth, DIGITS),
              directories: wholeNumber(1, MAX_LIMITS.directories, DIGITS),
              entries: wholeNumber(1, MAX_LIMITS.entries, DIGITS),
            },
            REPORT,
          ),
          overrides: record(lenient(override), { key: (key) => expandSelector(String(key), options) }),
        },
        REPORT,
      ),
      policy: partial<NonNullable<ConfigValues["policy"]>>(
        {
          mode: oneOf(POLICY_MODES),
          ifHooksFail: oneOf(["allow", "deny"]),
          rules: array(lenient(policyRule(options, locate)), {
            maxItems: MAX_RULES,
            hint: "combine rules with `*` patterns",
          }),
        },
        REPORT,
      ),
      profiles: record(lenient(profile)),
      scan: partial<Partial<ScanConfig>>(
        {
          trustedSources: list(repository),
          rules: list(path),
          falseAlarms: flag,
          judge: partial<JudgeConfig>({ ...MODEL, command: list(argument), lowersCaution: flag }, REPORT),
        },
        REPORT,
      ),
      hub: partial<Partial<HubConfig>>(
        { privateHosts: list(host), sources: list(source), agents: list(text), signatures: signatureRules },
        REPORT,
      ),
      eval: partial<Partial<EvalConfig>>({ model: partial<ModelConfig>(MODEL, REPORT) }, REPORT),
      agent: partial<Partial<AgentConfig>>(
        {
          model: partial<ModelConfig>(MODEL, REPORT),
          contextWindow: wholeNumber(1000, 100_000_000, { unit: "tokens", ...DIGITS }),
          prices: partial<AgentPrices>({ input: price, cached: price, output: price }, REPORT),
        },
        REPORT,
      ),
      mcp: partial<McpConfig>({ servers: record(lenient(mcpServer), { key: serverLabel }) }, REPORT),
    },
    REPORT,
  );
}

/** A selector that names a skill's folder, as an absolute path; any other selector unchanged. */
export function expandSelector(
  selector: string,
  options: Pick<SchemaOptions, "baseDirectory" | "userHome">,
): string {
  // Nested skills are called `parent/child`, so a slash alone does not make a path.
  if (!/^(?:~?[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/])/.test(selector)) return selector;
  const expanded = expandPath(selector, options);
  return /[\\/]SKILL\.md$/.test(expanded) ? dirname(expanded) : expanded;
}

function expandPath(value: string, options: Pick<SchemaOptions, "baseDirectory" | "userHome">): string {
  if (value === "~") return options.userHome;
  if (/^~[\\/]/.test(value)) return resolve(options.userHome, value.slice(2));
  return isAbsolute(value) ? resolve(value) : resolve(options.baseDirectory, value);
}

function list<Value>(item: Schema<Value>): Schema<readonly Value[]> {
  return array(lenient(item));
}

const text: Schema<string> = scalar(
  "one line of text",
  (value) =>
    typeof value === "string" && value !== "" && value.length <= MAX_TEXT_CHARACTERS && !/\p{Cc}/u.test(value)
      ? value
      : undefined,
  "put quotes around it if it looks like a number",
);

// Git reads an argument that starts with a dash as an option.
/** Of a command; may be empty. */
const argument: Schema<string> = scalar(
  "one line of text",
  (value) => (typeof value === "string" && /^[^\p{Cc}]{0,1000}$/u.test(value) ? value : undefined),
  "put quotes around it if it looks like a number",
);

const plain: Schema<string> = matching(
  new RegExp(`^(?=.{1,${MAX_TEXT_CHARACTERS}}$)[^-\\p{Cc}\\s][^\\p{Cc}]*$`, "u"),
  "text that does not start with a dash",
  "check it for a typing mistake",
);

const plugin: Schema<PluginDefinition> = object<PluginDefinition>(
  {
    url: plain,
    ref: optional(plain),
    name: optional(text),
    enabled: optional(flag),
    installedAt: optional(time),
  },
  REPORT,
);

const override: Schema<SkillOverride> = partial<SkillOverride>({ enabled: flag }, REPORT);

// A pattern would allow scripts that were never reviewed.
const script: Schema<string> = scalar(
  "exactly `skill:scripts/path`",
  (value) => (typeof value === "string" && parseScriptReference(value) !== undefined ? value : undefined),
  "name one script of one skill, without wildcards, like pdf-forms:scripts/fill.py",
);

const profile: Schema<Profile> = refine(
  partial<Partial<Profile>>({ skills: list(text), scripts: list(script), hostScripts: list(script) }, REPORT),
  ({ skills = [], scripts = [], hostScripts = [] }) => ({ skills, scripts, hostScripts }),
);

// A prefix or a pattern would trust anyone who registers a matching name.
const repository: Schema<string> = matching(
  /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/,
  "exactly `owner/repository`",
  "name one repository, without a host or wildcards, like anthropics/skills",
);

// An address range or a pattern would open more of a network than was meant.
const host: Schema<string> = matching(
  /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?$/,
  "a host, with or without a port",
  "write it like registry.internal or 127.0.0.1:5000",
);

// The key itself instead of its id: signatures contain no key, so an id could not verify anything.
const publicKey: Schema<string> = matching(
  /^(?:ed25519:[A-Za-z0-9+/]{43}=|ssh-ed25519 AAAA[A-Za-z0-9+/]+={0,2}(?: .*)?)$/,
  "a public key",
  "copy it from `skillet publish`: `ed25519:` and 44 characters, or a line `ssh-ed25519 AAAA…`",
);

const sources: Schema<readonly string[]> = (value, reading) => {
  if (!Array.isArray(value)) {
    const source = plain(value, reading);
    return source === undefined ? undefined : [source];
  }
  // A rule about no source would silently let everything through.
  if (value.length === 0) return reading.fault("is empty", { hint: "name a source, or * for all of them" });
  return list(plain)(value, reading);
};

// One rule for each source, as if they had been written separately.
const signatureRules: Schema<readonly SignatureRule[]> = refine(
  list(
    object<{ readonly sources: readonly string[]; readonly keys: SignatureRule["keys"] }>(
      { sources, keys: list(publicKey) },
      REPORT,
    ),
  ),
  (rules) => rules.flatMap(({ sources: each, keys }) => each.map((source) => ({ sources: source, keys }))),
);

const variable: Schema<string> = matching(
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  "the name of an environment variable",
  "name the variable, never write the key itself, like OPENAI_API_KEY",
);

const MODEL = {
  endpoint: plain,
  model: plain,
  apiKeyEnv: variable,
  protocol: oneOf(["openai", "anthropic"]),
} as const;

/** The label of an MCP server: part of its skills' names, and of cache paths that are deleted with it. */
const SERVER_LABEL = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Throws `mcp-label-invalid`. */
export function checkServerLabel(label: string): void {
  if (!SERVER_LABEL.test(label))
    throw new SkilletError("mcp-label-invalid", "A label has a-z, 0-9 and hyphens, at most 32 of them.");
}

const serverLabel: Schema<string> = matching(
  SERVER_LABEL,
  "a label of a-z, 0-9 and hyphens, at most 32 of them",
  "choose a short name for the server, such as acme",
);

const mcpServer: Schema<McpServerConfig> = refine(
  partial<McpServerConfig>(
    { url: serverUrl, tokenEnv: variable, command: array(text, { maxItems: 256 }), env: list(variable) },
    REPORT,
  ),
  (server, reading) =>
    (server.url === undefined) === (server.command !== undefined && server.command.length > 0)
      ? server
      : reading.fault("must have a `url` or a `command`, and not both", {
          hint: "let Skillet write it: skillet mcp add LABEL URL",
        }),
);

const scopes = list(oneOf(RANKED_SCOPES));

const precedence: Schema<readonly RankedScope[]> = (value, reading) => {
  const listed = scopes(value, reading);
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const [index, scope] of given.entries())
    if (RANKED_SCOPES.some((known) => known === scope) && given.indexOf(scope) < index)
      reading.faultAt(index, `repeats ${scope}`, { hint: "remove one of them" });
  return listed && [...new Set([...listed, ...RANKED_SCOPES])];
};

function directory(path: Schema<string>, kind: ConfigLayer["kind"]): Schema<SkillDirectory> {
  const scope = defaultScope(kind);
  // Only the organisation's own file can assign skills to the organisation.
  const choices: DirectoryScope[] =
    kind === "organisation" ? ["organisation", "plugin", "user"] : ["explicit", "plugin", "user"];
  const whole = object<{ path: string; scope?: DirectoryScope }>(
    { path, scope: optional(oneOf(choices)) },
    REPORT,
  );
  const either: Schema<{ path: string; scope?: DirectoryScope }> = (value, reading) =>
    typeof value === "object"
      ? whole(value, reading)
      : refine(path, (short) => ({ path: short }))(value, reading);
  return refine(either, (value) => ({ scope, ...value }));
}

function defaultScope(kind: ConfigLayer["kind"]): DirectoryScope {
  if (kind === "organisation") return "organisation";
  return kind === "flags" ? "explicit" : "user";
}

const SELECTORS = ["skill", "origin", "tool", "mode", "source"];

function policyRule({ kind: layer, file, ...place }: SchemaOptions, locate: Locator): Schema<PolicyRule> {
  const fields = object<Omit<PolicyRule, "from">>(
    {
      skill: optional(text),
      origin: optional(oneOf(ORIGINS)),
      tool: optional(toolRule(place)),
      mode: optional(oneOf(POLICY_MODES)),
      source: optional(oneOf(POLICY_SOURCES)),
      action: oneOf(POLICY_ACTIONS),
    },
    // If a selector had no effect, its rule would apply to more than was meant.
    { unknown: "refuse" },
  );
  return (value, reading) => {
    const entries =
      typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    for (const [key, item] of entries)
      if (item === null)
        reading.faultAt(key, "is empty", { part: "key", hint: "give it a value, or remove it" });
    if (entries.length > 0 && entries.every(([key]) => !SELECTORS.includes(key)))
      reading.fault("does not say what it is for", {
        hint: `add one of ${SELECTORS.map((key) => `\`${key}:\``).join(", ")}`,
      });
    const rule = fields(value, reading);
    const line = locate(reading.path)?.line;
    return (
      rule && {
        ...rule,
        from: { layer, ...(file !== undefined && { file }), ...(line !== undefined && { line }) },
      }
    );
  };
}

function toolRule(place: Pick<SchemaOptions, "baseDirectory" | "userHome">): Schema<string> {
  // The project is not known yet; any folder will do to check the syntax of the rule.
  const directories = { project: place.baseDirectory, home: place.userHome };
  return refine(text, (value, reading) => {
    const parsed = parseToolRule(value, directories);
    return "rule" in parsed ? value : reading.fault(parsed.problem, { hint: parsed.hint });
  });
}
