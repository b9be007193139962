import type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
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
import {
  anything,
  flag,
  listOf,
  objectOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  text,
  wholeFrom,
} from "./json-shape.ts";
import type { MissingRequirement, Origin, Scope, Skill, SkillState } from "./skill.ts";
import type { RootReport, Snapshot } from "./snapshot.ts";

const texts: Shape = listOf(text);
const record: Shape = recordOf(MAX_HEADER_DEPTH);

/** A digest as JSON. */
export const digest: Shape = (value, check) => {
  if (typeof value !== "string" || !/^sha256:[0-9a-f]{64}$/.test(value))
    check.refuse(value, "sha256: and 64 hexadecimal digits");
};

const scope: Shape = oneOf<Scope>({
  explicit: true,
  organisation: true,
  plugin: true,
  project: true,
  claude: true,
  user: true,
  bundled: true,
});

const origin: Shape = oneOf<Origin>({
  builtin: true,
  organisation: true,
  trusted: true,
  community: true,
  "agent-created": true,
  local: true,
});

const state: Shape = oneOf<SkillState>({
  enabled: true,
  disabled: true,
  unavailable: true,
  untrusted: true,
  shadowed: true,
});

/** A diagnostic as JSON. */
export const diagnostic: Shape = objectOf<Diagnostic>({
  code: text,
  severity: oneOf<Severity>({ error: true, warning: true, info: true }),
  message: text,
  file: text,
  range: optional(
    objectOf<Range>({
      line: wholeFrom(1),
      column: wholeFrom(1),
      endLine: optional(wholeFrom(1)),
      endColumn: optional(wholeFrom(1)),
    }),
  ),
  hint: optional(text),
});

const gating: Shape = objectOf<Gating>({
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
  env: listOf(
    objectOf<EnvironmentRequirement>({
      name: text,
      prompt: optional(text),
      help: optional(text),
      requiredFor: optional(text),
      optional: optional(flag),
      hosts: optional(texts),
    }),
  ),
  mcp: listOf(
    objectOf<McpRequirement>({
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

const manifest: Shape = objectOf<Manifest>({
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
  triggers: objectOf<Triggers>({ keywords: texts, verbs: texts, patterns: texts }),
  toolsets: texts,
  invocation: objectOf<Invocation>({
    model: flag,
    user: flag,
    paths: texts,
    products: texts,
    internal: flag,
  }),
  args: objectOf<Manifest["args"]>({ hint: optional(text), names: texts }),
  execution: objectOf<Execution>({
    context: oneOf<Execution["context"]>({ inline: true, fork: true }),
    agent: optional(text),
    background: optional(flag),
    model: optional(text),
    effort: optional(text),
    shell: optional(text),
  }),
  tools: objectOf<Manifest["tools"]>({ allowed: texts, disallowed: texts }),
  gating,
  install: listOf(
    objectOf<InstallSpec>({
      kind: text,
      id: optional(text),
      label: optional(text),
      bins: texts,
      os: texts,
      fields: record,
    }),
  ),
  ui: objectOf<Ui>({
    displayName: optional(text),
    shortDescription: optional(text),
    iconSmall: optional(text),
    iconLarge: optional(text),
    brandColor: optional(text),
    defaultPrompt: optional(text),
    emoji: optional(text),
  }),
  hooks: optional(anything(MAX_HEADER_DEPTH)),
  metadata: record,
  extra: record,
});

const skill: Shape = objectOf<Skill>({
  name: text,
  qualifiedName: text,
  scope,
  origin,
  kind: oneOf<Skill["kind"]>({ skill: true, command: true }),
  plugin: optional(text),
  path: text,
  directory: text,
  directoryName: text,
  source: objectOf<Skill["source"]>({ id: text, folder: text, file: text }),
  digest,
  settingsDigest: optional(digest),
  manifest,
  state,
  reason: optional(text),
  missing: listOf(
    objectOf<MissingRequirement>({
      kind: oneOf<MissingRequirement["kind"]>({
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
  bodyCharacters: wholeFrom(0),
  alsoAt: texts,
  shadowedBy: optional(text),
  diagnostics: listOf(diagnostic),
});

/** The shape of a snapshot as JSON, with a check for every field that its types have. */
export const snapshotShape: Shape = objectOf<Snapshot>({
  version: digest,
  roots: listOf(
    objectOf<RootReport>({
      scope,
      path: text,
      sourceId: text,
      state: oneOf<RootReport["state"]>({ scanned: true, missing: true, unreadable: true }),
      trusted: flag,
      skills: wholeFrom(0),
      failed: wholeFrom(0),
    }),
  ),
  skills: listOf(skill),
  diagnostics: listOf(diagnostic),
});
