import { SkilletError } from "@skillet/kit/errors";

// Longer arguments are refused: they are what somebody types behind a name.
const MAX_ARGUMENT_CHARACTERS = 64 * 1024;
// A longer text is refused: a short body can name long arguments again and again.
const MAX_RENDERED_CHARACTERS = 2 * 1024 * 1024;

/** Throws when arguments are too long to be filled in. */
export function checkArguments(text: string | undefined): void {
  if (text === undefined || text.length <= MAX_ARGUMENT_CHARACTERS) return;
  throw new SkilletError(
    "arguments-too-long",
    `The arguments have ${text.length} characters; a skill takes up to ${MAX_ARGUMENT_CHARACTERS}. Put long text into a file and pass its path.`,
    { data: { characters: text.length, limit: MAX_ARGUMENT_CHARACTERS } },
  );
}

/** Throws when a skill's text has grown too long. */
export function checkRendered(characters: number): void {
  if (characters <= MAX_RENDERED_CHARACTERS) return;
  throw new SkilletError(
    "rendered-too-long",
    `With its arguments filled in, the skill's text is longer than ${MAX_RENDERED_CHARACTERS} characters. Pass shorter arguments.`,
    { data: { limit: MAX_RENDERED_CHARACTERS } },
  );
}
