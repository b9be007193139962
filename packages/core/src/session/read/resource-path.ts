/** A resource's path in its one spelling, or undefined when it is none or leaves the skill. */
export function normaliseResourcePath(path: string): string | undefined {
  const trimmed = path.trim().replaceAll("\\", "/");
  if (trimmed === "" || trimmed.length > MAX_PATH_CHARACTERS || trimmed.includes("\0")) return undefined;
  if (trimmed.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of trimmed.split("/")) {
    if (part === "" || part === ".") continue;
    // Compared as a whole part: `..data` is an ordinary name.
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  // A drive is absolute too, also behind a dot.
  return parts.length === 0 || /^[A-Za-z]:$/.test(parts[0] ?? "") ? undefined : parts.join("/");
}

const MAX_PATH_CHARACTERS = 4096;
