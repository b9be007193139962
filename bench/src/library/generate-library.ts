import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNamer } from "./name-skills.ts";
import { createRandom, type Random } from "./random.ts";
import { SHARES, SKILLS_PER_OWNER, type Trait } from "./skill-mix.ts";
import { writeBody, writeBodyPieces } from "./write-body.ts";
import { writeHeader } from "./write-header.ts";
import { writeResources } from "./write-resources.ts";

/** What a loader must find at one path. */
interface ExpectedSkill {
  readonly path: string;
  /** Left out where there is no frontmatter: clients disagree on what such a skill is called. */
  readonly declared?: { readonly name: string; readonly description: string };
}

/** A generated library on disk. */
export interface Library {
  readonly root: string;
  readonly skills: readonly ExpectedSkill[];
  /** Bytes of all SKILL.md files. */
  readonly bytes: number;
  readonly mix: ReadonlyMap<Trait, number>;
}

/** Writes `count` skills below `root`, grouped under owners; the same seed gives the same bytes. */
export function generateLibrary(options: {
  readonly root: string;
  readonly count: number;
  readonly seed: number;
}): Library {
  const random = createRandom(options.seed);
  const pieces = writeBodyPieces(random);
  const nameSkill = createNamer();
  const skills: ExpectedSkill[] = [];
  const mix = new Map<Trait, number>();
  let bytes = 0;

  for (let index = 0; index < options.count; index++) {
    const name = nameSkill(random);
    const traits: Trait[] = [];
    const directory = join(options.root, ownerName(index), folderName(random, { name, traits }));
    const path = join(directory, "SKILL.md");

    const characters = random.chance(SHARES.nonAsciiBody) ? "unicode" : "ascii";
    if (characters === "unicode") traits.push("non-ASCII body");
    const body = writeBody(random, { title: titleOf(name), pieces, characters });
    if (random.chance(SHARES.noFrontmatter)) {
      traits.push("no frontmatter");
      bytes += writeSkill(path, body.trimStart());
      skills.push({ path });
    } else {
      const header = writeHeader(random, name);
      traits.push(...header.traits);
      bytes += writeSkill(path, encode(random, { text: header.text + body, traits }));
      skills.push({ path, declared: { name, description: header.description } });
    }
    if (random.chance(SHARES.subfolders)) {
      traits.push("subfolders");
      writeResources(random, { directory, pieces });
    }
    for (const trait of traits) mix.set(trait, (mix.get(trait) ?? 0) + 1);
  }
  return { root: options.root, skills, bytes, mix };
}

function ownerName(index: number): string {
  return `owner-${String(Math.floor(index / SKILLS_PER_OWNER)).padStart(4, "0")}`;
}

function folderName(random: Random, skill: { readonly name: string; readonly traits: Trait[] }): string {
  if (!random.chance(SHARES.nameDiffersFromFolder)) return skill.name;
  skill.traits.push("name differs from folder");
  // Unique names stay unique: no name ends in "-skill" or in a version.
  return random.chance(0.5) ? `${skill.name}-skill` : `${skill.name}-1-0-${random.between(0, 9)}`;
}

function titleOf(name: string): string {
  return name
    .split("-")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(" ");
}

function encode(random: Random, file: { readonly text: string; readonly traits: Trait[] }): string {
  if (random.chance(SHARES.carriageReturns)) {
    file.traits.push("CRLF");
    return file.text.replaceAll("\n", "\r\n");
  }
  if (random.chance(SHARES.byteOrderMark)) {
    file.traits.push("byte order mark");
    return `\uFEFF${file.text}`;
  }
  return file.text;
}

function writeSkill(path: string, text: string): number {
  const bytes = Buffer.from(text);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
  return bytes.length;
}
