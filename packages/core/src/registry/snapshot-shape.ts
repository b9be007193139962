import type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
import {
  anything,
  array,
  digest,
  type Fields,
  flag,
  object,
  oneOf,
  optional,
  refine,
  type Schema,
  text,
  wholeNumber,
} from "@skillet/kit/schema";
import { MAX_HEADER_DEPTH } from "../format/format-limits.ts";
import type {
  EnvironmentRequirement,
  Execution,
  Gating,
  InstallSpec,
  Invocation,
  Manifest,
  McpRequirement,
  Triggers,
  Ui,
} from "../format/manifest.ts";

import { isRawMap, type RawMap, rawValueOf } from "../format/raw-header.ts";
import { type MissingRequirement, ORIGINS, SCOPES, type Skill, type SkillState } from "./skill.ts";
import type { RootReport, Snapshot } from "./snapshot.ts";

const texts = array(text);
// Drops fields of later versions, so that no foreign key is on an object with a prototype.
function dropping<Value extends object>(fields: Fields<Value>): Schema<Value> {
  return object<Value>(fields, { unknown: "drop" });
}

// Values of a header: nothing of an ordinary object's prototype may show through.
const headerValue = refine(anything(MAX_HEADER_DEPTH), rawValueOf);
const headerMap: Schema<RawMap> = refine(headerValue, (value, reading) =>
  isRawMap(value) ? value : reading.refuseObject(value),
);

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

function each<Value, Text extends string>(schema: Value, words: Text): Record<Words<Text>, Value> {
  return Object.fromEntries(words.split(" ").map((key) => [key, schema])) as Record<Words<Text>, Value>;
}

/** One of the given words, which must be all words of the type. */
function wordOf<Choice extends string>(): <Text extends string>(
  words: [Choice] extends [Words<Text>] ? Text : never,
) => Schema<Choice> {
  return (words) => oneOf(words.split(" ") as Choice[]);
}

const scope = oneOf(SCOPES);
const origin = oneOf(ORIGINS);
const state = wordOf<SkillState>()("enabled disabled unavailable untrusted shadowed");

export const diagnostic: Schema<Diagnostic> = dropping<Diagnostic>({
  code: text,
  severity: wordOf<Severity>()("error warning info"),
  message: text,
  file: text,
  range: optional(
    dropping<Range>({
      ...each(wholeNumber(1), "line column"),
      ...each(optional(wholeNumber(1)), "endLine endColumn"),
    }),
  ),
  hint: optional(text),
});

const gating = dropping<Gating>({
  always: flag,
  ...each(optional(text), "skillKey primaryEnv"),
  ...each(texts, "os bins anyBins commands config environments credentialFiles skills"),
  ...each(texts, "requiresTools requiresToolsets fallbackForTools fallbackForToolsets"),
  env: array(
    dropping<EnvironmentRequirement>({
      name: text,
      ...each(optional(text), "prompt help requiredFor"),
      optional: optional(flag),
      hosts: optional(texts),
    }),
  ),
  mcp: array(
    dropping<McpRequirement>({
      ...each(text, "name transport"),
      ...each(optional(text), "url command description"),
    }),
  ),
});

const manifest = dropping<Manifest>({
  ...each(text, "name description"),
  ...each(optional(text), "whenToUse license compatibility version author homepage"),
  ...each(texts, "tags relatedSkills toolsets"),
  triggers: dropping<Triggers>(each(texts, "keywords verbs patterns")),
  invocation: dropping<Invocation>({
    ...each(flag, "model user internal"),
    ...each(texts, "paths products"),
  }),
  args: dropping<Manifest["args"]>({ hint: optional(text), names: texts }),
  execution: dropping<Execution>({
    context: wordOf<Execution["context"]>()("inline fork"),
    ...each(optional(text), "agent model effort shell"),
    background: optional(flag),
  }),
  tools: dropping<Manifest["tools"]>(each(texts, "allowed disallowed")),
  gating,
  install: array(
    dropping<InstallSpec>({
      kind: text,
      ...each(optional(text), "id label"),
      ...each(texts, "bins os"),
      fields: headerMap,
    }),
  ),
  ui: dropping<Ui>(
    each(optional(text), "displayName shortDescription iconSmall iconLarge brandColor defaultPrompt emoji"),
  ),
  hooks: optional(headerValue),
  ...each(headerMap, "metadata extra"),
});

const missing = dropping<MissingRequirement>({
  kind: wordOf<MissingRequirement["kind"]>()(
    "platform command any-command environment config credential-file mcp skill tool",
  ),
  names: texts,
  message: text,
});

const skill = dropping<Skill>({
  ...each(text, "name qualifiedName path directory directoryName"),
  ...each(optional(text), "plugin reason shadowedBy hostDirectory"),
  scope,
  origin,
  kind: wordOf<Skill["kind"]>()("skill command"),
  source: dropping<Skill["source"]>(each(text, "id folder file")),
  digest,
  settingsDigest: optional(digest),
  manifest,
  state,
  missing: array(missing),
  bodyCharacters: wholeNumber(0),
  alsoAt: texts,
  diagnostics: array(diagnostic),
});

export const snapshotSchema: Schema<Snapshot> = dropping<Snapshot>({
  version: digest,
  roots: array(
    dropping<RootReport>({
      scope,
      ...each(text, "path sourceId"),
      state: wordOf<RootReport["state"]>()("scanned missing unreadable"),
      trusted: flag,
      ...each(wholeNumber(0), "skills failed"),
    }),
  ),
  skills: array(skill),
  diagnostics: array(diagnostic),
});
