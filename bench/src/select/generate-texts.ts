import { createRandom, type Random } from "../library/random.ts";

/** A generated skill: what its header says and what stands below. */
export interface GeneratedText {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

const FREQUENT =
  "the to a and of in for is with or use when this on you it from be that are as an by file if not run user code " +
  "your all can skill any data before only one each new set output then after example create no should add out line";

const VOCABULARY = 60_000;
const SYLLABLES =
  "ba co di fe gu ha jo ki lu me no pa qui re si to ul va we xi yo zu ter con pre ing ment tion er al".split(
    " ",
  );

/** Writes texts whose words come as often as in language: the commonest everywhere, most in a handful of skills. */
export function createTextGenerator(seed: number): {
  next(): GeneratedText;
  message(text: GeneratedText): string;
} {
  const random = createRandom(seed);
  const words = [...FREQUENT.split(" ")];
  while (words.length < VOCABULARY) words.push(makeWord(random));
  const write = (count: number): string => {
    const text: string[] = [];
    for (let index = 0; index < count; index += 1) {
      text.push(pick(words, random));
      if (random.chance(0.07)) text.push(".\n");
    }
    return text.join(" ");
  };
  let number = 0;
  return {
    next: () => {
      number += 1;
      const topic = Array.from({ length: 3 }, () => words[random.between(200, words.length - 1)] ?? "");
      const name = `${topic[0]}-${topic[1]}-${number}`;
      const description = `${topic.join(" ")} ${write(random.between(15, 60))}. Use when the user asks to "${topic[1]} ${write(3)}". Do not use for ${write(5)}.`;
      const sections = Array.from(
        { length: random.between(3, 9) },
        () =>
          `## ${write(3)}\n\n${write(random.between(40, 140))}\n\n\`\`\`sh\n${topic[2]} --${pick(words, random)}\n\`\`\`\n`,
      );
      return { name, description, body: `# ${name}\n\n${sections.join("\n")}` };
    },
    // As people ask: some words of the header, and as many that are in none.
    message: ({ description }) => {
      const own = description.split(/\s+/).filter(() => random.chance(0.25));
      return `please ${own.slice(0, 10).join(" ")} for ${write(random.between(2, 12))}`;
    },
  };
}

/** The place of a word falls as its rank rises, as Zipf found. */
function pick(words: readonly string[], random: Random): string {
  return words[Math.floor(words.length ** random.next()) - 1] ?? "the";
}

function makeWord(random: Random): string {
  return Array.from({ length: random.between(2, 4) }, () => random.pick(SYLLABLES)).join("");
}
