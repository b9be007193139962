import { type DiscoverOptions, discoverSkills } from "../../../registry/discover-skills.ts";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Scope } from "../../../registry/skill.ts";
import type { RootTrust, SkillRoot } from "../../../registry/skill-root.ts";
import { SourceReader } from "../../../session/skill-reader.ts";
import { LocalSource } from "../../../source/local/local-source.ts";
import type { PresentSkills } from "../../resume/verify-run.ts";
import { writeArtefacts } from "../artefacts.ts";
import { openRecorder } from "../recorder.ts";
import { placeOf } from "../session-record.ts";
import { clock, POLICY } from "./sample-records.ts";

/** A root to search for a test. */
export interface TestRoot {
  readonly path: string;
  readonly scope?: Scope;
  readonly trust?: RootTrust;
}

/** The present skills of some folders, with real reads. */
export async function presentSkills(
  roots: readonly TestRoot[],
  options: Pick<DiscoverOptions, "enablement"> = {},
): Promise<PresentSkills> {
  const found = roots.map(({ path, scope = "user", trust = { kind: "trusted" } }): SkillRoot => {
    return { scope, origin: "local", source: new LocalSource(path), path, trust };
  });
  const snapshot = await discoverSkills({ ...options, roots: found });
  const byId = new Map(found.map((root) => [root.source.id, root]));
  const reader = new SourceReader(() => ({ snapshot, roots: byId }));
  return { snapshot, reader };
}

/** Records a run like a session does: its frame, an activation of every skill, and the artefacts. */
export async function recordRun(runFolder: string, present: PresentSkills): Promise<void> {
  const recorder = await openRecorder({ runFolder, runId: "42", clock });
  const { snapshot } = present;
  await recorder.append({ ...POLICY, snapshotVersion: snapshot.version });
  const indexes = new Map<string, ResourceIndex>();
  for (const skill of snapshot.skills) {
    const index = await present.reader.indexResources(skill);
    indexes.set(skill.qualifiedName, index);
    await recorder.append({
      kind: "activation",
      ...placeOf(skill),
      name: skill.qualifiedName,
      source: "user",
      digest: skill.digest,
      ...(index.treeDigest === undefined ? {} : { treeDigest: index.treeDigest }),
      duplicate: false,
      drifted: false,
      diagnostics: [],
    });
  }
  await writeArtefacts(runFolder, { snapshot, resources: indexes });
}
