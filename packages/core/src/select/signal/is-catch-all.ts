/** Whether a pattern matches what says nothing: nobody's topic, so that who matches it would match everything. */
export function isCatchAll(matches: (text: string) => boolean): boolean {
  if (matches("")) return true;
  return NEUTRAL.filter(matches).length > MAX_NEUTRAL;
}

// A skill may be about greetings, thanks or figures: a pattern for these matches one or two.
const MAX_NEUTRAL = 2;

// Of every length, in several scripts, with and without capitals, digits and marks; about nothing.
const NEUTRAL = [
  "ok",
  "yes",
  "Thanks, that is all.",
  "Hello there!",
  "what do you mean?",
  "12:30",
  "Please go on with it.",
  "no - not like this\ntry again",
  "How did it go, and what is left for us to do now?",
  "I see. Let us do the same for all of them, one after the other.",
  "Could you say that again in more words, with a short reason, and without the parts that I know?",
  "I would like to go on where we stopped yesterday, but first tell me how it went, because I was not here and nobody else could say much about it either.",
  "My idea was another one: you make a start, I have a look, then we change what I want to see in it.\n\nCan you do that? If so, use what is there, and help me with the rest when I need it!",
  "はい、お願いします",
  "Да, спасибо, это всё",
  "sí, así está bien, gracias",
];
