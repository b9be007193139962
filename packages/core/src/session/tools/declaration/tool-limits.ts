/** Larger toolset files are refused unread. */
export const MAX_TOOLSET_BYTES: number = 64 * 1024;

/** Files that one header may name; what follows is left out. */
export const MAX_TOOLSETS = 8;

/** Tools of one file; what follows is left out. */
export const MAX_TOOLS = 32;

/** Longer descriptions are cut. */
export const MAX_TOOL_DESCRIPTION_CHARACTERS = 1024;

/** Of one schema as JSON; models pay for it in every request. */
export const MAX_SCHEMA_CHARACTERS: number = 16 * 1024;

/** Arguments that a tool always passes to its script. */
export const MAX_TOOL_ARGUMENTS = 32;
export const MAX_TOOL_ARGUMENT_CHARACTERS = 1024;
