import type { RuntimeCandidate, RuntimePlan, RuntimeRefusal } from "./choose-runtime.ts";

/** A program that runs scripts, where the sandbox runs them. */
export interface Interpreter {
  /** As it was asked for: `python3`. */
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** The folder that it needs besides the system's, such as a version manager's; absent for system programs. */
  readonly home?: string;
  /** `22.18.0`; of node alone, where it could be found out. */
  readonly version?: string;
}

// From these on, in their line, node leaves types out without being asked to.
const STRIPPING_SINCE: ReadonlyMap<number, number> = new Map([
  [22, 18],
  [23, 6],
]);

export interface ChosenInterpreter {
  readonly candidate: RuntimeCandidate;
  readonly interpreter: Interpreter;
}

/** Takes the first interpreter of a plan that is there, or says what is missing. */
export async function chooseInterpreter(
  plan: RuntimePlan,
  path: string,
  machine: {
    find(name: string): Promise<Interpreter | undefined>;
    /** Asked where the plan depends on it alone, since it means to start the interpreter. */
    versionOf(interpreter: Interpreter): Promise<string | undefined>;
  },
): Promise<ChosenInterpreter | RuntimeRefusal> {
  const missing: string[] = [];
  for (const candidate of plan.candidates) {
    const interpreter = await machine.find(candidate.interpreter);
    if (interpreter === undefined) {
      missing.push(`${candidate.interpreter} was not found`);
      continue;
    }
    if (candidate.needs !== "type-stripping") return { candidate, interpreter };
    const version = await machine.versionOf(interpreter);
    if (stripsTypes(version)) return { candidate, interpreter };
    missing.push(`node ${version ?? "of an unknown version"} does not run TypeScript`);
  }
  return { refused: `${path} is not run: ${missing.join(", ")}. ${plan.remedy}.` };
}

export function stripsTypes(version: string | undefined): boolean {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})\./.exec(version ?? "") ?? [];
  if (major === undefined || minor === undefined) return false;
  const since = STRIPPING_SINCE.get(Number(major));
  return since === undefined ? Number(major) > 23 : Number(minor) >= since;
}
