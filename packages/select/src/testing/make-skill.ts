import { digestBytes } from "@skillet/kit/digest";
import { parseSkill } from "../../../core/src/format/parse-skill.ts";
import type { Skill } from "../../../core/src/registry/skill.ts";

/** A skill as discovery would find it, from the text of its SKILL.md. */
export function makeSkill(text: string, options: { readonly qualifiedName?: string } = {}): Skill {
  const { manifest, body } = parseSkill(text, { directoryName: "skill" });
  if (manifest === undefined) throw new Error("This text is not a skill.");
  const { name } = manifest;
  return {
    name,
    qualifiedName: options.qualifiedName ?? name,
    scope: "user",
    origin: "local",
    kind: "skill",
    path: `/skills/${name}/SKILL.md`,
    directory: `/skills/${name}`,
    directoryName: name,
    source: { id: "memory", folder: name, file: "SKILL.md" },
    digest: digestBytes(Buffer.from(text)),
    manifest,
    state: "enabled",
    missing: [],
    bodyCharacters: body.length,
    alsoAt: [],
    diagnostics: [],
  };
}

/** A SKILL.md with a name, a description and further header lines. */
export function writeHeader(name: string, description: string, more: readonly string[] = []): string {
  return ["---", `name: ${name}`, `description: ${JSON.stringify(description)}`, ...more, "---", ""].join(
    "\n",
  );
}

/** Skills of many topics as background for others; always the same. */
export function makeLibrary(count: number): readonly Skill[] {
  return Array.from({ length: count }, (_, index) => {
    const verb = VERBS[index % VERBS.length] ?? "";
    const topic = TOPICS[(index * 7 + Math.floor(index / TOPICS.length)) % TOPICS.length] ?? "";
    const tool = TOOLS[(index * 3 + Math.floor(index / 11)) % TOOLS.length] ?? "";
    const description = `${verb} ${topic} with ${tool}. Use when the user asks to ${verb} a ${topic} or mentions ${tool}.`;
    return makeSkill(writeHeader(`${verb}-${topic}-${index}`, description));
  });
}

const VERBS =
  "draft convert deploy inspect translate schedule summarise benchmark migrate annotate archive render".split(
    " ",
  );
const TOPICS =
  "invoice contract cluster playlist recipe podcast glossary firewall certificate telescope garden timetable ledger subtitle blueprint survey warehouse aquarium thermostat migration changelog thesis flashcard mortgage gallery".split(
    " ",
  );
const TOOLS =
  "kubectl pandoc ffmpeg terraform latex blender sqlite ansible inkscape graphviz hugo rsync".split(" ");
