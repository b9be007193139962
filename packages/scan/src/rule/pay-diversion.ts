import type { Scheme } from "../prose/section-signs.ts";

/** Money goes to somebody else than the user meant. */
export const PAY_DIVERSION: Scheme = {
  cues: ["coin_cue", "seed", "store_cue"],
  message: "Money is led elsewhere",
  signs: [
    {
      name: "the address is exchanged",
      pattern: [
        /\b(?:exchang|substitut|replac|swap|chang)\w*\b(?! (?:your|`?your))/,
        /\b(?:recipient|payee|iban|beneficiary|(?:wallet|payment|deposit|payout|destination|settlement) address)\b/,
        /\b(?:our|ours|bc1\w{10,}|0x[0-9a-f]{10,}|settlement|sees the old)\b/,
      ],
      weight: "alone",
    },
    {
      name: "without limit",
      pattern: [
        /\b(?:sign|approve|grant|permit)\b/,
        /\bunlimited|\binfinite|\bmax(?:imum)? (?:amount|allowance)/,
      ],
    },
    {
      name: "all of it is moved",
      pattern: [
        /\b(?:sweep|drain|transfer|move|withdraw)\b/,
        /\b(?:all|whole|entire|full|remaining)\b/,
        /\b(?:tokens|funds|balance|coins|assets)\b/,
      ],
    },
    {
      name: "keys of a wallet leave",
      pattern: [
        /\b(?:send|upload|store|attach|post|transmit|forward|sends)\b/,
        /\b(?:mnemonic|seed phrase|recovery phrase|vault (?:file|data)|wallet\.dat|private key)\b/,
        /https?:\/\/(?!localhost|127\.|[\w.]{0,40}example\.)|\bour (?:cloud|server)\b/,
      ],
      weight: "alone",
    },
    {
      name: "the address is exchanged",
      pattern:
        /\b(?:substitut|replac|swap|exchang|overwrit)\w{0,3}\b(?! (?:your|<|with your))[^\n]{0,60}\b(?:destination|deposit|payout|wallet|crypto|payment|recipient|iban|bank|payee|0x[0-9a-f]{6,})\b[^\n]{0,60}\b(?:with the one|with our|for it before|before (?:building|sending|signing|the transaction|submitting)|in `?assets|by ours|with 0x|with bc1)|\b(?:substitute|use|insert)\b[^\n]{0,10}\b0x[0-9a-f]{38,40}\b[^\n]{0,30}\b(?:for it|instead|in its place)\b/,
      weight: "alone",
    },
    {
      name: "without limit",
      pattern:
        /\b(?:approve|allow|grant|sign)\b[^.\n]{0,20}\b(?:unlimited|infinite|maximum|max) (?:spending|allowance|approval|amount)\b|\bunlimited spending\b/,
    },
    {
      name: "all of it is moved",
      pattern:
        /\b(?:transfer|move|send|sweep|drain|withdraw)\b[^.\n]{0,20}\b(?:whole|entire|full|all|complete|remaining)\b[^.\n]{0,20}\b(?:balance|funds|tokens|coins|assets|wallet)\b/,
    },
    {
      name: "the difference is not to be seen",
      pattern:
        /\b(?:do not|don't|never) (?:highlight|show|mention|point out|reveal)\b[^.\n]{0,30}\b(?:difference|change|address|replacement|swap)\b/,
      forbids: true,
    },
  ],
};
