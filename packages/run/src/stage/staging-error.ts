import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";

/** The files are not the skill that was checked. */
export function stagingMismatch({ expected, found }: { expected: Digest; found: Digest }): SkilletError {
  return new SkilletError(
    "staging-mismatch",
    `The skill's files come to ${found}, not to ${expected}, so nothing was staged; reload the skills and look at what changed.`,
    { data: { expected, found } },
  );
}

/** A path that cannot be written without meeting another one, or leaving the folder. */
export function stagingPathRefused(path: string, fault: string): SkilletError {
  const shown = path.slice(0, 200);
  return new SkilletError(
    "staging-path-refused",
    `The skill's path ${JSON.stringify(shown)} ${fault}, so the skill was not staged; rename the file in the skill.`,
    { data: { path: shown } },
  );
}

/** A folder in which somebody else could change what is about to run. */
export function stagingFolderUnsafe(folder: string, fault: string, remedy: string): SkilletError {
  return new SkilletError(
    "staging-folder-unsafe",
    `${folder} ${fault}, so that what is staged there could be changed; ${remedy}.`,
    { data: { folder } },
  );
}

/** The disk or its permissions are in the way. */
export function stagingFailed(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const errno = (cause as NodeJS.ErrnoException | null)?.code ?? "unknown error";
  return new SkilletError(
    "staging-failed",
    `${path} could not be written (${errno}); check free space and permissions, or set SKILLET_HOME to another folder.`,
    { data: { path, errno }, cause },
  );
}
