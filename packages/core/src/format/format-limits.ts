/** Larger SKILL.md files are refused unread and unparsed; the longest public ones are a tenth of it. */
export const MAX_SKILL_BYTES: number = 1024 * 1024;

export const LARGE_SKILL_BYTES = 256_000;

/** Larger headers are refused: the largest among thousands of public skills has under 2 kB. */
export const MAX_HEADER_CHARACTERS: number = 32 * 1024;

/** Maps and lists inside one another; deeper ones are refused. */
export const MAX_HEADER_DEPTH = 32;

export const MAX_NAME_CHARACTERS = 64;

/** Longest name that is taken at all; names go into configuration, records, paths and every list of skills. */
export const MAX_LOADED_NAME_CHARACTERS = 256;

export const MAX_DESCRIPTION_CHARACTERS = 1024;

export const MAX_COMPATIBILITY_CHARACTERS = 500;
