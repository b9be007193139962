import type { FoundSecret } from "./find-secrets.ts";

/** Finds mnemonic phrases of wallets: twelve to twenty-four short words behind a name that says so. */
export function findSeedPhrases(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  SEED_PHRASE.lastIndex = 0;
  for (let match = SEED_PHRASE.exec(text); match !== null; match = SEED_PHRASE.exec(text)) {
    const phrase = match[1] ?? "";
    const words = phrase.split(" ");
    if (words.length % 3 !== 0 || words.some((word) => NOT_IN_THE_LIST.has(word))) continue;
    const end = match.index + match[0].length;
    found.push({
      start: end - phrase.length,
      end,
      provider: "seed-phrase",
      isPlaceholder: new Set(words).size < words.length - 2 || /\b(?:word|example|one two)\b/.test(phrase),
      isPrivateKey: false,
    });
  }
  return found;
}

const SEED_PHRASE =
  /(?:mnemonic|seed[ _-]?phrase|recovery[ _-]?phrase|seed[ _-]?words)["'`]?[ \t]{0,8}[:=][ \t]{0,8}["'`]?([a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![ ]?[A-Za-z])/gi;
/** Words of plain sentences that the list of BIP-39 has not. */
const NOT_IN_THE_LIST: ReadonlySet<string> = new Set(
  "the and your not from with for are was has its our their them then than who whom which share user users private keys phrase words wallet".split(
    " ",
  ),
);
