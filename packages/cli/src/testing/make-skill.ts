import type { Manifest, Skill } from "@skillet/core";

/** Makes a skill of a snapshot, with defaults for everything that a test does not care about. */
export function makeSkill(
  changes: Partial<Omit<Skill, "manifest">> & { manifest?: Partial<Manifest> } = {},
): Skill {
  const { manifest, ...rest } = changes;
  const name = changes.name ?? "pdf";
  const directory = `/home/user/.skillet/skills/${name}`;
  return {
    name,
    qualifiedName: name,
    scope: "user",
    origin: "local",
    kind: "skill",
    path: `${directory}/SKILL.md`,
    directory,
    directoryName: name,
    source: { id: "file:/home/user/.skillet/skills", folder: name, file: "SKILL.md" },
    digest: `sha256:${"0".repeat(64)}`,
    manifest: { ...PLAIN, name, description: "Fills in forms.", ...manifest },
    state: "enabled",
    missing: [],
    bodyCharacters: 400,
    alsoAt: [],
    diagnostics: [],
    ...rest,
  };
}

const PLAIN: Omit<Manifest, "name" | "description"> = {
  tags: [],
  relatedSkills: [],
  triggers: { keywords: [], verbs: [], patterns: [] },
  toolsets: [],
  invocation: { model: true, user: true, paths: [], products: [], internal: false },
  args: { names: [] },
  execution: { context: "inline" },
  tools: { allowed: [], disallowed: [] },
  gating: {
    always: false,
    os: [],
    bins: [],
    anyBins: [],
    commands: [],
    config: [],
    environments: [],
    credentialFiles: [],
    env: [],
    mcp: [],
    skills: [],
    requiresTools: [],
    requiresToolsets: [],
    fallbackForTools: [],
    fallbackForToolsets: [],
  },
  install: [],
  ui: {},
  metadata: {},
  extra: {},
};
