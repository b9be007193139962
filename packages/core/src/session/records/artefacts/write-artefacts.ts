import { join } from "node:path";
import { withFileLock, writeAtomic } from "@skillet/kit/files";
import type { ResourceIndex } from "../../../registry/resource.ts";
import type { Snapshot } from "../../../registry/snapshot.ts";
import { JOURNAL_FILE, readSettledJournal } from "../journal.ts";
import { ARTEFACT_FILES, serialiseArtefact } from "./artefact.ts";
import { deriveArtefacts } from "./derive-artefacts.ts";
import { registryArtefact } from "./registry-artefact.ts";

/** What is in no journal: the skills that were found, and the files of those that were frozen. */
export interface WriteArtefactsOptions {
  readonly snapshot: Snapshot;
  /** By qualified name. */
  readonly resources: ReadonlyMap<string, ResourceIndex>;
  readonly signal?: AbortSignal;
}

/**
 * Writes the artefacts of a run from its journal, each in one step; the same journal gives the same bytes.
 *
 * @example
 * await writeArtefacts(runFolder, { snapshot: skills.snapshot, resources: new Map() });
 */
export async function writeArtefacts(runFolder: string, options: WriteArtefactsOptions): Promise<void> {
  const { snapshot, resources, signal } = options;
  const waiting = { ...(signal && { signal }) };
  // Writers take turns, so that none replaces what another made from more records than it has seen itself.
  await withFileLock(
    join(runFolder, "artefacts.lock"),
    async () => {
      const { entries, diagnostics } = await readSettledJournal(runFolder, waiting);
      const faults = diagnostics
        .filter(({ severity }) => severity === "error")
        .map((fault) => ({ ...fault, file: JOURNAL_FILE }));
      const artefacts = [
        [ARTEFACT_FILES.registry, registryArtefact(entries, snapshot, resources)] as const,
        ...deriveArtefacts(entries, faults),
      ];
      for (const [file, artefact] of artefacts)
        await writeAtomic(join(runFolder, file), serialiseArtefact(artefact), {
          mode: 0o600,
          links: "refuse",
        });
    },
    waiting,
  );
}
