const CODES: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EROFS", "ENOSPC", "EDQUOT"]);

/** Whether an error says that nothing can be written to the temporary folder. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && CODES.has(error.code);
}
