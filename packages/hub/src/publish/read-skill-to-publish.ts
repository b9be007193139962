import { readCandidate } from "../candidate/read-candidate.ts";
import type { FetchContext } from "../fetch/fetch-context.ts";
import { openLocalSource } from "../fetch/local/open-local-source.ts";
import { rootName } from "../source/root-name.ts";
import type { LocalSource } from "../source/source.ts";
import { publishRefused, type SkillToPublish } from "./skill-to-publish.ts";

/**
 * Reads the folder of one skill, as it is now, to be published; whatever could not be installed is refused here.
 *
 * @example
 * await writeSite({ directory: "public", skills: [await readSkillToPublish("/desk/skills/pdf-tools", context)] });
 */
export async function readSkillToPublish(path: string, context: FetchContext): Promise<SkillToPublish> {
  const source: LocalSource = { kind: "local", path };
  const opened = await openLocalSource(source, context);
  try {
    const name = rootName(source);
    const offer = { kind: "skill", name, description: "", folder: "", internal: false } as const;
    const { limits, signal } = context;
    const reading = await readCandidate(opened, offer, {
      limits,
      rootName: name,
      ...(signal && { signal }),
    });
    if ("problem" in reading) throw publishRefused(name, `${path}: ${reading.problem}`, "correct it first");
    const { manifest, files } = reading;
    const version = manifest?.metadata.version;
    return {
      name: manifest?.name ?? reading.name,
      description: manifest?.description ?? "",
      files,
      ...(typeof version === "string" && version !== "" && { version }),
    };
  } finally {
    await opened.close();
  }
}
