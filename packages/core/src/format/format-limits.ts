/** Larger SKILL.md files are refused unread; the longest public ones are a tenth of this. */
export const MAX_SKILL_BYTES: number = 1024 * 1024;

export const LARGE_SKILL_BYTES = 256_000;

/** Larger headers are refused: the largest among thousands of public skills has under 2 kB. */
export const MAX_HEADER_CHARACTERS: number = 32 * 1024;

/** Nesting depth of maps and lists; deeper headers are refused. */
export const MAX_HEADER_DEPTH = 32;

export const MAX_NAME_CHARACTERS = 64;

/** The longest name that is loaded: names go into configuration, records, paths and lists of skills. */
export const MAX_LOADED_NAME_CHARACTERS = 256;

export const MAX_DESCRIPTION_CHARACTERS = 1024;

export const MAX_COMPATIBILITY_CHARACTERS = 500;
