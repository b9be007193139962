/**
 * Whether a message only asks about a subject, "what are webhooks good for?", and wants nothing done: every
 * sentence is a question, and none mentions the asker, something at hand, a certain time, a file or a number.
 */
export function isQuestionAbout(text: string): boolean {
  const sentences = text
    .slice(0, MAX_CHARACTERS)
    .toLowerCase() // A pattern for letters of either case takes a millisecond to prepare.
    .split(SENTENCE_END)
    .filter((one) => /\p{L}/u.test(one));
  return sentences.length > 0 && sentences.every((one) => ASKS.test(one) && !AT_HAND.test(one));
}

/** Longer messages describe a situation. */
const MAX_CHARACTERS = 400;

const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。？！])|\n+/u;
const OPENERS = String.raw`(?:(?:so|ok|okay|hey|hi|well|and|btw|by the way|quick question|just curious|curious|out of curiosity)\W+)*`;
const ASKS = new RegExp(
  String.raw`^\W*${OPENERS}(?:(?:what|why|how|who|when|which|where|is|are|was|were|does|do|did|can|isn['’]t|explain|define|tell me about)(?![\p{L}])|(?:was|warum|wieso|wie|wer|wann|qu['’ ]|que|pourquoi|comment|quel|qué|cómo|por qué|quién|cuál|o que|come|perché|cosa|wat|waarom|hoe|co|jak|czym|dlaczego|что|как|почему|зачем)(?![\p{L}])|什么|为什么|何)`,
  "u",
);
const AT_HAND =
  /(?<!\p{L})(?:my|mine|our|ours|me(?<!tell me)|i|i['’]\p{L}+|we|us|you|your|this|these|here|today|tonight|tomorrow|now|currently|latest|heute|morgen|demain|hoy|mañana|oggi|domani|vandaag|сегодня|завтра|mein\p{L}*|unser\p{L}*|ich|wir|mon|ma|mes|notre|nos|je|mi|mis|nuestr\p{L}*|meu|minha|eu|mio|mia|mijn|onze|ik|mój|moj\p{L}*|мой|моя|мне|я)(?!\p{L})|我|私|[/\\]\w|\.\w{2,4}(?!\p{L})|\d{2}|["“`]/u;
