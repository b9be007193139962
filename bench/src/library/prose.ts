import type { Random } from "./random.ts";
import { ADJECTIVES, NOUNS, PLACES, TOPICS, VERBS } from "./words.ts";

/** One sentence of about 60 to 110 characters, without anything that YAML would read as syntax. */
export function writeSentence(random: Random): string {
  const action = `${random.pick(VERBS)} ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
  const place = `${random.pick(TOPICS)} ${random.pick(PLACES)}`;
  const other = `${random.pick(VERBS)} ${random.pick(NOUNS)}`;
  const sentence = random.pick([
    `${action} from the ${place}, then ${other}`,
    `use when the user wants to ${action} or asks about the ${place}`,
    `${action} and ${other} in one step, also when the ${place} isn't reachable`,
    `the ${place} is read first (never written), and ${random.pick(NOUNS)} are kept as they are`,
    `triggers on "${random.pick(VERBS)} my ${random.pick(NOUNS)}" and on questions about ${random.pick(NOUNS)}`,
  ]);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Sentences up to about `length` characters, ending at a word. */
export function writeText(random: Random, length: number): string {
  let text = writeSentence(random);
  while (text.length < length) text += ` ${writeSentence(random)}`;
  if (text.length <= length) return text;
  const cut = text.lastIndexOf(" ", length);
  return cut > 0 ? text.slice(0, cut).replace(/[,.("]+$/, "") : text.slice(0, Math.max(length, 1));
}

/** Breaks a text into lines of at most `width` characters where a word allows it. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length >= width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}
