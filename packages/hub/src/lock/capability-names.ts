import type { Capabilities } from "@skillet/scan";

const NAMES: Readonly<Record<keyof Capabilities, true>> = {
  network: true,
  commands: true,
  paths: true,
  secrets: true,
  persistence: true,
  agentConfig: true,
  packages: true,
  remoteInstructions: true,
};

/** The lists that capabilities have; the compiler says when the scanner gets another. */
export const CAPABILITY_NAMES: readonly string[] = Object.keys(NAMES);
