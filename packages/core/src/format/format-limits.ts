/** Larger files are refused before anything is parsed. */
export const MAX_SKILL_BYTES: number = 1024 * 1024;

/** Larger files load with a warning; some clients refuse them. */
export const LARGE_SKILL_BYTES = 256_000;

/** Larger headers are refused: the largest among thousands of public skills has under 2 kB. */
export const MAX_HEADER_CHARACTERS: number = 32 * 1024;

/** Maps and lists inside one another; deeper ones are refused. */
export const MAX_HEADER_DEPTH = 32;

/** Longest name the specification allows, in code points. */
export const MAX_NAME_CHARACTERS = 64;

/** Longest description the specification allows, in code points. */
export const MAX_DESCRIPTION_CHARACTERS = 1024;

/** Longest compatibility note the specification allows, in code points. */
export const MAX_COMPATIBILITY_CHARACTERS = 500;
