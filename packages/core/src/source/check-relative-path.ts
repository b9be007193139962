import { SkilletError } from "@skillet/kit/errors";

// Longer than any path a file system takes; keeps hostile arguments out of messages and system calls.
const MAX_PATH_CHARACTERS = 4096;

/** Refuses every path that is not a plain relative one, before anything touches the disk. */
export function checkRelativePath(path: string): void {
  const fault = findFault(path);
  if (fault === undefined) return;
  throw new SkilletError(
    "path-invalid",
    `The path ${JSON.stringify(path.slice(0, 200))} ${fault}; pass one inside the skill, with "/" between its parts.`,
    {
      data: { path: path.slice(0, 200) },
    },
  );
}

function findFault(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > MAX_PATH_CHARACTERS) return `is longer than ${MAX_PATH_CHARACTERS} characters`;
  if (path.includes("\0")) return "holds a NUL";
  if (path.includes("\\")) return "holds a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  // Compared as segments: `..data` is an ordinary name, `a/../b` is not.
  const segments = path.split("/");
  if (segments.some((segment) => segment === "..")) return "leaves its folder";
  if (segments.some((segment) => segment === "" || segment === ".")) return "has an empty part";
  return undefined;
}
