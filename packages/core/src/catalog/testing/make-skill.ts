import type { Manifest } from "../../format/manifest.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import type { Skill } from "../../registry/skill.ts";

/** An enabled skill; header fields are given as in a manifest. */
export function makeSkill(
  given: Partial<Omit<Skill, "manifest">> & { readonly manifest?: Partial<Manifest> } = {},
): Skill {
  const { manifest, ...rest } = given;
  const name = rest.name ?? "pdf";
  const directory = `/skills/${name}`;
  return {
    name,
    qualifiedName: name,
    scope: "user",
    origin: "local",
    kind: "skill",
    path: `${directory}/SKILL.md`,
    directory,
    directoryName: name,
    source: { id: "skills", folder: name, file: "SKILL.md" },
    digest: `sha256:${"0".repeat(64)}`,
    manifest: { ...PLAIN_MANIFEST, name, ...manifest },
    state: "enabled",
    missing: [],
    bodyCharacters: 0,
    alsoAt: [],
    diagnostics: [],
    ...rest,
  };
}

/** The skill of a SKILL.md with this header. */
export function skillWithHeader(header: string): Skill {
  return makeSkill({
    manifest: readManifest(`---\nname: pdf\ndescription: Fills forms.\n${header}\n---\nBody\n`),
  });
}

const PLAIN_MANIFEST: Manifest = readManifest("---\nname: pdf\ndescription: Fills forms.\n---\nBody\n");

function readManifest(text: string): Manifest {
  const { manifest } = parseSkill(text, { directoryName: "pdf" });
  if (manifest === undefined) throw new Error(`This header has no manifest: ${text}`);
  return manifest;
}
