export { createHookStarter } from "@skillet/run";

import {
  bubblewrap,
  createRunner,
  docker,
  noSandbox,
  type Sandbox,
  type SkillRunner,
  seatbelt,
  ssh,
} from "@skillet/run";

export interface RunnerChoice {
  readonly allow: readonly string[];
  readonly network: readonly string[];
  /** Canonical paths. */
  readonly writable: readonly string[];
  /** As typed; absent means the system's sandbox. */
  readonly sandbox?: string;
  readonly home: string;
}

export function createScriptRunner({ sandbox, ...options }: RunnerChoice): SkillRunner {
  return createRunner({ ...options, ...(sandbox !== undefined && { sandbox: sandboxOf(sandbox) }) });
}

function sandboxOf(choice: string): Sandbox {
  switch (choice) {
    case "bubblewrap":
      return bubblewrap();
    case "seatbelt":
      return seatbelt();
    case "none":
      return noSandbox();
    default:
      if (choice.startsWith("docker:")) return docker({ image: choice.slice("docker:".length) });
      return ssh({ destination: choice.slice("ssh:".length) });
  }
}
