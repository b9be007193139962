/**
 * The folder that a skill gets: its name where that is one path segment on every system, else one made from its words.
 *
 * A name is what a stranger wrote; as a path it must lead nowhere else, and not be taken for a scope's or a hidden folder.
 */
export function placeName(name: string, fallback: string): string {
  const fitting = [name, slug(name), fallback, slug(fallback)].find((one) => isPlaceName(one));
  return fitting ?? "skill";
}

/** Whether a name can be a folder of installed skills. */
export function isPlaceName(name: string): boolean {
  return (
    PLACE_NAME.test(name) && name.length <= MAX_NAME_CHARACTERS && !RESERVED.test(name) && !name.endsWith(".")
  );
}

const MAX_NAME_CHARACTERS = 64;
const PLACE_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
// Windows takes these for devices, with any extension.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function slug(text: string): string {
  const words = text
    .slice(0, 256)
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return (words ?? []).join("-").slice(0, MAX_NAME_CHARACTERS).replace(/-$/, "");
}
