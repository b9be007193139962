import type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
import {
  anything,
  array,
  digest,
  type Fields,
  flag,
  object,
  oneOfKeys,
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
import type { MissingRequirement, Origin, Scope, Skill, SkillState } from "./skill.ts";
import type { RootReport, Snapshot } from "./snapshot.ts";

const texts = array(text);
// What a later version adds is left out, so that no key from outside is on an object with a prototype.
function dropping<Value extends object>(fields: Fields<Value>): Schema<Value> {
  return object<Value>(fields, { unknown: "drop" });
}

// Keys of a header: nothing of an ordinary object's prototype may show through.
const headerValue = refine(anything(MAX_HEADER_DEPTH), rawValueOf);
const headerMap: Schema<RawMap> = refine(headerValue, (value, reading) =>
  isRawMap(value) ? value : reading.refuseObject(value),
);

const scope = oneOfKeys<Scope>({
  explicit: true,
  organisation: true,
  plugin: true,
  project: true,
  claude: true,
  user: true,
  bundled: true,
});

const origin = oneOfKeys<Origin>({
  builtin: true,
  organisation: true,
  trusted: true,
  community: true,
  "agent-created": true,
  local: true,
});

const state = oneOfKeys<SkillState>({
  enabled: true,
  disabled: true,
  unavailable: true,
  untrusted: true,
  shadowed: true,
});

export const diagnostic: Schema<Diagnostic> = dropping<Diagnostic>({
  code: text,
  severity: oneOfKeys<Severity>({ error: true, warning: true, info: true }),
  message: text,
  file: text,
  range: optional(
    dropping<Range>({
      line: wholeNumber(1),
      column: wholeNumber(1),
      endLine: optional(wholeNumber(1)),
      endColumn: optional(wholeNumber(1)),
    }),
  ),
  hint: optional(text),
});

const gating = dropping<Gating>({
  always: flag,
  skillKey: optional(text),
  primaryEnv: optional(text),
  os: texts,
  bins: texts,
  anyBins: texts,
  commands: texts,
  config: texts,
  environments: texts,
  credentialFiles: texts,
  env: array(
    dropping<EnvironmentRequirement>({
      name: text,
      prompt: optional(text),
      help: optional(text),
      requiredFor: optional(text),
      optional: optional(flag),
      hosts: optional(texts),
    }),
  ),
  mcp: array(
    dropping<McpRequirement>({
      name: text,
      transport: text,
      url: optional(text),
      command: optional(text),
      description: optional(text),
    }),
  ),
  skills: texts,
  requiresTools: texts,
  requiresToolsets: texts,
  fallbackForTools: texts,
  fallbackForToolsets: texts,
});

const manifest = dropping<Manifest>({
  name: text,
  description: text,
  whenToUse: optional(text),
  license: optional(text),
  compatibility: optional(text),
  version: optional(text),
  author: optional(text),
  homepage: optional(text),
  tags: texts,
  relatedSkills: texts,
  triggers: dropping<Triggers>({ keywords: texts, verbs: texts, patterns: texts }),
  toolsets: texts,
  invocation: dropping<Invocation>({
    model: flag,
    user: flag,
    paths: texts,
    products: texts,
    internal: flag,
  }),
  args: dropping<Manifest["args"]>({ hint: optional(text), names: texts }),
  execution: dropping<Execution>({
    context: oneOfKeys<Execution["context"]>({ inline: true, fork: true }),
    agent: optional(text),
    background: optional(flag),
    model: optional(text),
    effort: optional(text),
    shell: optional(text),
  }),
  tools: dropping<Manifest["tools"]>({ allowed: texts, disallowed: texts }),
  gating,
  install: array(
    dropping<InstallSpec>({
      kind: text,
      id: optional(text),
      label: optional(text),
      bins: texts,
      os: texts,
      fields: headerMap,
    }),
  ),
  ui: dropping<Ui>({
    displayName: optional(text),
    shortDescription: optional(text),
    iconSmall: optional(text),
    iconLarge: optional(text),
    brandColor: optional(text),
    defaultPrompt: optional(text),
    emoji: optional(text),
  }),
  hooks: optional(headerValue),
  metadata: headerMap,
  extra: headerMap,
});

const skill = dropping<Skill>({
  name: text,
  qualifiedName: text,
  scope,
  origin,
  kind: oneOfKeys<Skill["kind"]>({ skill: true, command: true }),
  plugin: optional(text),
  path: text,
  directory: text,
  directoryName: text,
  source: dropping<Skill["source"]>({ id: text, folder: text, file: text }),
  digest,
  settingsDigest: optional(digest),
  manifest,
  state,
  reason: optional(text),
  missing: array(
    dropping<MissingRequirement>({
      kind: oneOfKeys<MissingRequirement["kind"]>({
        platform: true,
        command: true,
        "any-command": true,
        environment: true,
        config: true,
        "credential-file": true,
        mcp: true,
        skill: true,
        tool: true,
      }),
      names: texts,
      message: text,
    }),
  ),
  bodyCharacters: wholeNumber(0),
  alsoAt: texts,
  shadowedBy: optional(text),
  diagnostics: array(diagnostic),
});

/** A snapshot as JSON, with a check for every field that its types have. */
export const snapshotSchema: Schema<Snapshot> = dropping<Snapshot>({
  version: digest,
  roots: array(
    dropping<RootReport>({
      scope,
      path: text,
      sourceId: text,
      state: oneOfKeys<RootReport["state"]>({ scanned: true, missing: true, unreadable: true }),
      trusted: flag,
      skills: wholeNumber(0),
      failed: wholeNumber(0),
    }),
  ),
  skills: array(skill),
  diagnostics: array(diagnostic),
});
