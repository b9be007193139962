const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARACTERS = 64;
const MAX_DESCRIPTION_CHARACTERS = 1024;

/** Reads what entries of all versions have. */
export function readNameAndDescription(
  entry: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly description: string } | { readonly fault: string } {
  const { name, description } = entry;
  if (typeof name !== "string") return { fault: 'has no "name"' };
  if (name.length > MAX_NAME_CHARACTERS || !NAME.test(name))
    return {
      fault: `has a "name" that is not at most ${MAX_NAME_CHARACTERS} lower-case letters, digits and single hyphens`,
    };
  if (typeof description !== "string" || description.trim() === "") return { fault: 'has no "description"' };
  if (description.length > MAX_DESCRIPTION_CHARACTERS)
    return { fault: `has a "description" of more than ${MAX_DESCRIPTION_CHARACTERS} characters` };
  return { name, description };
}
