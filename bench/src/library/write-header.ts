import { writeBlockMetadata, writeFlowMetadata } from "./header-metadata.ts";
import { wrapText, writeText } from "./prose.ts";
import type { Random } from "./random.ts";
import { DESCRIPTION_LENGTH, SHARES, type Trait } from "./skill-mix.ts";
import { CHINESE, NOUNS, TOPICS, VERBS } from "./words.ts";

/** A header as text, and what a reader must find in it. */
export interface Header {
  readonly text: string;
  readonly description: string;
  readonly traits: readonly Trait[];
}

/** Writes frontmatter in one of the forms of public skills. */
export function writeHeader(random: Random, name: string): Header {
  const traits: Trait[] = [];
  const has = (share: number): boolean => random.chance(share / (1 - SHARES.noFrontmatter));
  const description = writeDescription(random, has);
  traits.push(...description.traits);

  let text = `---\nname: ${name}\n`;
  if (has(SHARES.version))
    text += `version: ${random.between(0, 4)}.${random.between(0, 12)}.${random.between(0, 9)}\n`;
  text += description.text;
  if (has(SHARES.homepage)) text += `homepage: https://example.com/${random.pick(TOPICS)}/${name}\n`;
  if (has(SHARES.author)) text += `author: ${random.pick(TOPICS)}-works\n`;
  if (has(SHARES.license)) text += `license: ${random.pick(["MIT", "Apache-2.0"])}\n`;
  if (has(SHARES.allowedTools)) text += "allowed-tools: Bash(git:*) Read Grep\n";
  if (has(SHARES.userInvocable)) text += `user-invocable: ${random.chance(0.8)}\n`;
  if (has(SHARES.flowList)) {
    text += `tags: [${random.pick(TOPICS)}, ${random.pick(NOUNS)}, ${random.pick(VERBS)}]\n`;
    traits.push("flow list");
  }
  if (has(SHARES.blockList)) {
    text += `triggers:\n  - ${random.pick(VERBS)} ${random.pick(NOUNS)}\n  - ${random.pick(TOPICS)}\n`;
    traits.push("block list");
  }
  const metadata = random.next() * (1 - SHARES.noFrontmatter);
  if (metadata < SHARES.flowMapMetadata) {
    text += writeFlowMetadata(random, name);
    traits.push("flow map");
  } else if (metadata < SHARES.flowMapMetadata + SHARES.blockMapMetadata) {
    text += writeBlockMetadata(random, name);
    traits.push("block map");
  }
  text += "---\n";
  if (/\P{ASCII}/u.test(text)) traits.push("non-ASCII header");
  return { text, description: description.value, traits };
}

function writeDescription(
  random: Random,
  has: (share: number) => boolean,
): { readonly text: string; readonly value: string; readonly traits: readonly Trait[] } {
  const length = random.fromQuantiles(DESCRIPTION_LENGTH);
  const value = has(SHARES.chineseText) ? writeChinese(random, length) : writeText(random, length);
  if (has(SHARES.unquotedColon)) {
    const broken = `${value} Use for: ${random.pick(NOUNS)} and ${random.pick(TOPICS)}`;
    return { text: `description: ${broken}\n`, value: broken, traits: ["needs repair (unquoted colon)"] };
  }
  if (has(SHARES.doubleQuotedDescription)) {
    const quoted = `${value} Examples: ${random.pick(VERBS)}, ${random.pick(VERBS)}`;
    return {
      text: `description: ${JSON.stringify(quoted)}\n`,
      value: quoted,
      traits: ["quoted description"],
    };
  }
  if (has(SHARES.literalDescription)) {
    return { text: writeBlockScalar("|", value), value, traits: ["block scalar"] };
  }
  if (has(SHARES.foldedDescription)) {
    return { text: writeBlockScalar(">-", value), value, traits: ["block scalar"] };
  }
  return { text: `description: ${value}\n`, value, traits: [] };
}

function writeChinese(random: Random, length: number): string {
  let text = random.pick(CHINESE);
  while (text.length < length / 2) text += `，${random.pick(CHINESE)}`;
  return `${text}。`;
}

function writeBlockScalar(indicator: "|" | ">-", value: string): string {
  const lines = wrapText(value, 90).map((line) => `  ${line}\n`);
  return `description: ${indicator}\n${lines.join("")}`;
}
