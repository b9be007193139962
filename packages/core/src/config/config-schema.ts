import { dirname, isAbsolute, resolve } from "node:path";
import type { Located } from "@skillet/kit/located";
import type { TraversalLimits } from "../source/local/traversal-limits.ts";
import {
  type DirectoryScope,
  type EvalConfig,
  type EvalModelConfig,
  type HubConfig,
  type JudgeConfig,
  type PluginDefinition,
  POLICY_MODES,
  type Profile,
  RANKED_SCOPES,
  type RankedScope,
  type ScanConfig,
  type SignatureRule,
  type SkillDirectory,
  type SkillOverride,
} from "./config.ts";
import type { ConfigLayer, ConfigValues } from "./config-layer.ts";
import { policyRules } from "./policy-rule-reader.ts";
import { parseScriptReference } from "./script-reference.ts";
import { type Reader, readChoice, readFields, readList, readRecord, readScalar } from "./value-reader.ts";

const MAX_TEXT_CHARACTERS = 4096;
const MAX_SCRIPT_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const MAX_LIMITS: TraversalLimits = { depth: 64, directories: 10_000_000, entries: 100_000_000 };

/** What values of a layer are relative to. */
export interface SchemaOptions {
  readonly kind: ConfigLayer["kind"];
  readonly file?: string;
  readonly baseDirectory: string;
  readonly userHome: string;
}

/** The reader of a whole layer; every key that exists is here. */
export function configReader(options: SchemaOptions): Reader<ConfigValues> {
  return readFields<ConfigValues>({
    skills: readFields<NonNullable<ConfigValues["skills"]>>({
      plugins: readList(plugin),
      pluginsDir: path(options),
      userDir: path(options),
      disabledBundled: readList(name),
      enabledBundled: readList(name),
      scriptTimeout: wholeNumber({ minimum: 1, maximum: MAX_SCRIPT_TIMEOUT_MS, unit: "milliseconds" }),
      directories: readList(directory(options)),
      precedence,
      limits: readFields<Partial<TraversalLimits>>({
        depth: wholeNumber({ minimum: 0, maximum: MAX_LIMITS.depth }),
        directories: wholeNumber({ minimum: 1, maximum: MAX_LIMITS.directories }),
        entries: wholeNumber({ minimum: 1, maximum: MAX_LIMITS.entries }),
      }),
      overrides: readRecord(override, { readKey: (key) => expandSelector(key, options) }),
    }),
    policy: readFields<NonNullable<ConfigValues["policy"]>>({
      mode: readChoice(POLICY_MODES),
      rules: policyRules(options, text),
    }),
    profiles: readRecord(profile),
    scan: readFields<Partial<ScanConfig>>({
      trustedSources: readList(repository),
      rules: readList(path(options)),
      judge: readFields<JudgeConfig>({ endpoint: plain, model: plain, apiKeyEnv: variable }),
    }),
    hub: readFields<Partial<HubConfig>>({
      privateHosts: readList(host),
      agents: readList(name),
      signatures: signatureRules,
    }),
    eval: readFields<Partial<EvalConfig>>({
      model: readFields<EvalModelConfig>({ endpoint: plain, model: plain, apiKeyEnv: variable }),
    }),
  });
}

/** A skill's folder as an absolute path when that is what a selector names, else the selector itself. */
export function expandSelector(
  selector: string,
  options: Pick<SchemaOptions, "baseDirectory" | "userHome">,
): string {
  // Nested skills are called `parent/child`, so a slash alone makes no path.
  if (!/^(?:~?[\\/]|\.{1,2}[\\/]|[A-Za-z]:[\\/])/.test(selector)) return selector;
  const expanded = expandPath(selector, options);
  return /[\\/]SKILL\.md$/.test(expanded) ? dirname(expanded) : expanded;
}

const text: Reader<string> = readScalar(
  "a text",
  "put quotes around it if it looks like a number",
  (value) =>
    typeof value === "string" && value !== "" && value.length <= MAX_TEXT_CHARACTERS && !/\p{Cc}/u.test(value)
      ? value
      : undefined,
);
const name: Reader<string> = text;
const flag: Reader<boolean> = readScalar("true or false", "write true or false", (value) =>
  typeof value === "boolean" ? value : undefined,
);

// Git reads an argument that starts with a dash as an option.
const plain: Reader<string> = readScalar(
  "a text that does not start with a dash",
  "check it for a typing mistake",
  (value) =>
    typeof value === "string" &&
    /^[^-\p{Cc}\s][^\p{Cc}]*$/u.test(value) &&
    value.length <= MAX_TEXT_CHARACTERS
      ? value
      : undefined,
);

const time: Reader<string> = readScalar("a time", 'write it like "2026-01-05T10:30:00Z"', (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined,
);

const plugin: Reader<PluginDefinition> = readFields<PluginDefinition>(
  { url: plain, ref: plain, name, enabled: flag, installedAt: time },
  { required: ["url"] },
);

const override: Reader<SkillOverride> = readFields<SkillOverride>({ enabled: flag });

// A pattern would let run what nobody looked at.
const script: Reader<string> = readScalar(
  "exactly `skill:scripts/path`",
  "name one script of one skill, without wildcards, like pdf-forms:scripts/fill.py",
  (value) => (typeof value === "string" && parseScriptReference(value) !== undefined ? value : undefined),
);

const partialProfile: Reader<Partial<Profile>> = readFields<Partial<Profile>>({
  skills: readList(name),
  scripts: readList(script),
  hostScripts: readList(script),
});

const profile: Reader<Profile> = (node, at, context) => {
  const value = partialProfile(node, at, context);
  const { skills = [], scripts = [], hostScripts = [] } = value ?? {};
  return value && { skills, scripts, hostScripts };
};

// A prefix or a pattern would trust whoever takes a name that fits.
const repository: Reader<string> = readScalar(
  "exactly `owner/repository`",
  "name one repository, without a host or wildcards, like anthropics/skills",
  (value) =>
    typeof value === "string" && /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/.test(value) ? value : undefined,
);

// An address range or a pattern would open more of a network than somebody looked at.
const host: Reader<string> = readScalar(
  "a host, with a port or without",
  "write it like registry.internal or 127.0.0.1:5000",
  (value) =>
    typeof value === "string" && /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?$/.test(value)
      ? value
      : undefined,
);

// The key itself and not its id: signatures carry none, so that an id alone could check nothing.
const publicKey: Reader<string> = readScalar(
  "a public key",
  "copy it from `skillet publish`: `ed25519:` and 44 characters, or a line `ssh-ed25519 AAAA…`",
  (value) =>
    typeof value === "string" &&
    /^(?:ed25519:[A-Za-z0-9+/]{43}=|ssh-ed25519 AAAA[A-Za-z0-9+/]+={0,2}(?: .*)?)$/.test(value)
      ? value
      : undefined,
);

// One rule for each source, as if they had been written one by one.
const signatureRules: Reader<readonly SignatureRule[]> = (node, at, context) =>
  writtenRules(node, at, context)?.flatMap(({ sources = [], keys }) =>
    sources.map((source) => ({ sources: source, keys })),
  );

const sourceList: Reader<readonly string[]> = (node, at, context) => {
  if (node.kind !== "list") {
    const source = plain(node, at, context);
    return source === undefined ? undefined : [source];
  }
  // A rule about nothing would let everything through, and nobody would notice.
  if (node.items.length === 0)
    context.fault(node.range, `\`${at.join(".")}\` is empty`, "name a source, or * for all of them");
  return readList(plain)(node, at, context);
};

const writtenRules: Reader<
  readonly { readonly sources: readonly string[]; readonly keys: SignatureRule["keys"] }[]
> = readList(
  readFields({ sources: sourceList, keys: readList(publicKey) }, { required: ["sources", "keys"] }),
);

const variable: Reader<string> = readScalar(
  "the name of an environment variable",
  "name the variable, never write the key itself, like OPENAI_API_KEY",
  (value) => (typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value) ? value : undefined),
);

const scopes: Reader<readonly RankedScope[]> = readList(readChoice(RANKED_SCOPES));

const precedence: Reader<readonly RankedScope[]> = (node, at, context) => {
  const listed = scopes(node, at, context);
  if (listed === undefined) return undefined;
  const seen = new Set<unknown>();
  for (const item of node.kind === "list" ? node.items : []) {
    const scope = item.kind === "scalar" ? item.value : undefined;
    if (seen.has(scope))
      context.fault(item.range, `\`${at.join(".")}\` names ${scope} twice`, "remove one of them");
    seen.add(scope);
  }
  return [...new Set([...listed, ...RANKED_SCOPES])];
};

function wholeNumber(bounds: { minimum: number; maximum: number; unit?: string }): Reader<number> {
  const { minimum, maximum, unit } = bounds;
  const what = `a whole number${unit === undefined ? "" : ` of ${unit}`} from ${minimum} to ${maximum}`;
  return readScalar(what, "write digits only, without quotes", (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum
      ? value
      : undefined,
  );
}

function path(options: SchemaOptions): Reader<string> {
  return (node, at, context) => {
    const value = text(node, at, context);
    return value && expandPath(value, options);
  };
}

function directory(options: SchemaOptions): Reader<SkillDirectory> {
  const scope = defaultScope(options.kind);
  // Nobody but the organisation's own file can make skills the organisation's.
  const choices: DirectoryScope[] =
    options.kind === "organisation" ? ["organisation", "plugin", "user"] : ["explicit", "plugin", "user"];
  const whole = readFields<{ path: string; scope?: DirectoryScope }>(
    { path: path(options), scope: readChoice(choices) },
    { required: ["path"] },
  );
  const short = path(options);
  return (node: Located, at, context) => {
    const value = node.kind === "map" ? whole(node, at, context) : { path: short(node, at, context) };
    return value?.path === undefined ? undefined : { scope, ...value, path: value.path };
  };
}

function defaultScope(kind: ConfigLayer["kind"]): DirectoryScope {
  if (kind === "organisation") return "organisation";
  return kind === "flags" ? "explicit" : "user";
}

function expandPath(value: string, options: Pick<SchemaOptions, "baseDirectory" | "userHome">): string {
  if (value === "~") return options.userHome;
  if (/^~[\\/]/.test(value)) return resolve(options.userHome, value.slice(2));
  return isAbsolute(value) ? resolve(value) : resolve(options.baseDirectory, value);
}
