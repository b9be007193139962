// Over four is about 13 % off a real tokenizer over public skills; shown as "about".
export const UNITS_PER_TOKEN = 4;

/** About how many tokens a text of so many characters, or better bytes, costs a model. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / UNITS_PER_TOKEN);
}
