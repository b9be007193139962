import type { ResourceIndex } from "../../../registry/resource.ts";
import type { KnownRegistry } from "../artefacts/check-registry-artefact.ts";
import type { ActivationRecord } from "../session-record.ts";

const MAX_NAMED_FILES = 5;

/** Which files differ from those of the recorded tree, for people; nothing when that was not kept. */
export function changedFiles(
  recorded: ActivationRecord,
  registry: KnownRegistry | undefined,
  index: ResourceIndex,
): string | undefined {
  const before = registry?.skills.find(
    ({ sourceId, treeDigest, qualifiedName }) =>
      sourceId === recorded.sourceId && treeDigest === recorded.treeDigest && qualifiedName === recorded.name,
  );
  if (before === undefined) return undefined;
  const digests = new Map(before.resources.map(({ path, digest }) => [path, digest]));
  const changes = index.resources.flatMap(({ path, digest }) => {
    const was = digests.get(path);
    digests.delete(path);
    if (was === digest) return [];
    return [was === undefined ? `${path} was added` : `${path} was changed`];
  });
  changes.push(...Array.from(digests.keys(), (path) => `${path} was removed`));
  // Only a mode changed: no file's digest tells that.
  if (changes.length === 0) return "the right to execute a file was changed";
  const rest = changes.length - MAX_NAMED_FILES;
  return `${changes.slice(0, MAX_NAMED_FILES).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}
