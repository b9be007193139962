import type { Sandbox } from "./sandbox/sandbox.ts";

/** The sandbox of this platform; nothing where there is none. Loaded when it is needed. */
export async function defaultSandbox(
  platform: NodeJS.Platform = process.platform,
): Promise<Sandbox | undefined> {
  if (platform === "linux") return (await import("./sandbox/bubblewrap/bubblewrap.ts")).bubblewrap();
  if (platform === "darwin") return (await import("./sandbox/seatbelt/seatbelt.ts")).seatbelt();
  return undefined;
}
