import { writeSentence, writeText } from "./prose.ts";
import type { Random } from "./random.ts";
import { BODY_LENGTH } from "./skill-mix.ts";
import { CHINESE, COMMANDS, NOUNS, PLACES, TOPICS, VERBS } from "./words.ts";

/** Markdown pieces that bodies are put together from, written once so that 100,000 bodies take seconds. */
export interface BodyPieces {
  readonly ascii: readonly string[];
  readonly unicode: readonly string[];
}

/** Writes the pieces: sections, lists, tables and code, about 400 characters each. */
export function writeBodyPieces(random: Random): BodyPieces {
  return {
    ascii: Array.from({ length: 400 }, () => writePiece(random)),
    unicode: Array.from({ length: 120 }, () => writeUnicodePiece(random)),
  };
}

/** A body with the length distribution of public skills. */
export function writeBody(
  random: Random,
  options: { readonly title: string; readonly pieces: BodyPieces; readonly characters: "ascii" | "unicode" },
): string {
  const length = random.fromQuantiles(BODY_LENGTH);
  let body = `\n# ${options.title}\n\n${writeSentence(random)}\n\n`;
  if (options.characters === "unicode") body += random.pick(options.pieces.unicode);
  while (body.length < length) {
    const isUnicode = options.characters === "unicode" && random.chance(0.2);
    body += random.pick(isUnicode ? options.pieces.unicode : options.pieces.ascii);
  }
  return body;
}

function writePiece(random: Random): string {
  const heading = `## ${title(random.pick(VERBS))} the ${random.pick(NOUNS)}\n\n`;
  const items = Array.from({ length: random.between(3, 6) }, () => writeText(random, random.between(30, 90)));
  const command = `${random.pick(COMMANDS)} --${random.pick(NOUNS)} "$${random.pick(TOPICS).toUpperCase()}"`;
  return random.pick([
    `${heading}${writeText(random, 420)}\n\n`,
    `${heading}${items.map((item) => `- ${item}`).join("\n")}\n\n`,
    `${heading}${items.map((item, index) => `${index + 1}. **${title(random.pick(VERBS))}**: ${item}`).join("\n")}\n\n`,
    `${heading}\`\`\`bash\n# ${writeText(random, 50)}\n${command} | jq '.${random.pick(PLACES)}[0]'\n${command}\n\`\`\`\n\n`,
    `### Options\n\n| Option | Meaning |\n|---|---|\n${items.map((item) => `| \`--${random.pick(NOUNS)}\` | ${item} |`).join("\n")}\n\n`,
    `${writeText(random, 250)}\n\n---\n\n\`\`\`json\n{ "${random.pick(NOUNS)}": [1, 2, 3], "place": "${random.pick(PLACES)}" }\n\`\`\`\n\n`,
  ]);
}

function writeUnicodePiece(random: Random): string {
  return random.pick([
    `✅ ${writeText(random, 120)} — ${writeText(random, 60)}\n❌ ${writeText(random, 90)}\n\n`,
    `\`\`\`\n${random.pick(TOPICS)}/\n├── ${random.pick(NOUNS)}.md\n└── ${random.pick(PLACES)}.json\n\`\`\`\n\n`,
    `${title(random.pick(NOUNS))} → ${random.pick(PLACES)} → ${random.pick(NOUNS)}: “${writeText(random, 80)}”\n\n`,
    `${random.pick(CHINESE)}，${random.pick(CHINESE)}。\n\n`,
  ]);
}

function title(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
