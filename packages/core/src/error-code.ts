/** The errno name of a failed system call, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
