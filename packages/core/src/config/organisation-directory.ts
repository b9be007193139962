/** Where administrators put configuration and skills for every user of a machine. */
export function organisationDirectory(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === "win32") return `${environment.ProgramData ?? "C:\\ProgramData"}\\skillet`;
  return platform === "darwin" ? "/Library/Application Support/skillet" : "/etc/skillet";
}
