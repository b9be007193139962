import { pick, readList, readMap } from "./coerce-values.ts";
import { addVariables } from "./environment-requirements.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { ManifestDraft } from "./manifest-draft.ts";
import type { RawMap } from "./raw-header.ts";

const CONDITIONS = [
  ["requires-tools", "requires_tools", "requiresTools"],
  ["requires-toolsets", "requires_toolsets", "requiresToolsets"],
  ["fallback-for-tools", "fallback_for_tools", "fallbackForTools"],
  ["fallback-for-toolsets", "fallback_for_toolsets", "fallbackForToolsets"],
] as const;

/** Reads the top-level keys of Hermes. */
export function readHermesFields(fields: HeaderFields, draft: ManifestDraft, faults: FaultList): void {
  fields.with("platforms", (value, path) => draft.gating.addPlatforms(readList(value, faults, path)));
  fields.with("environments", (value, path) =>
    draft.gating.add("environments", readList(value, faults, path)),
  );
  fields.with("required-credential-files", (value, path) =>
    draft.gating.add("credentialFiles", readList(value, faults, path)),
  );
  fields.with("required-environment-variables", (value, path) =>
    addVariables(value, draft.gating, faults, path),
  );
  fields.with("prerequisites", (value, path) => {
    const map = readMap(value, faults, path);
    addVariables(map && pick(map, "env_vars", "env-vars", "envVars"), draft.gating, faults, path);
    draft.gating.add("commands", readList(map?.commands, faults, path));
  });
  fields.with("setup", (value, path) => {
    const map = readMap(value, faults, path);
    addVariables(
      map && pick(map, "collect_secrets", "collect-secrets", "collectSecrets"),
      draft.gating,
      faults,
      path,
    );
  });
  fields.with("related-skills", (value, path) => {
    draft.relatedSkills = readList(value, faults, path);
  });
  for (const [field, , list] of CONDITIONS) {
    fields.with(field, (value, path) => draft.gating.add(list, readList(value, faults, path)));
  }
  // Last, because it speaks about variables that the keys above declare.
  fields.with("credential-destinations", (value, path) => {
    const map = readMap(value, faults, path) ?? {};
    for (const name in map) draft.gating.addHosts(name, readList(map[name], faults, path), faults, path);
  });
}

/** Reads `metadata.hermes`; what the top level says already stays. */
export function readHermesMetadata(block: RawMap, draft: ManifestDraft, faults: FaultList): void {
  const path = "metadata.hermes";
  draft.addTags(readList(block.tags, faults, `${path}.tags`));
  if (draft.relatedSkills.length === 0) {
    draft.relatedSkills = readList(
      pick(block, "related_skills", "related-skills", "relatedSkills"),
      faults,
      path,
    );
  }
  for (const [kebab, snake, camel] of CONDITIONS) {
    const value = pick(block, snake, kebab, camel);
    if (value !== undefined) draft.gating.add(camel, readList(value, faults, `${path}.${snake}`));
  }
}
