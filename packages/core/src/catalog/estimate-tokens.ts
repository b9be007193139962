// Characters over four is about 13 % off a real tokenizer over public skills; shown as "about".
const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a text of so many characters costs a model. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
