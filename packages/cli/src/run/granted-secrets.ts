import type { DependencyAnswer, Skill } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";

/** The values of the variables that a command line grants; each must be set here. */
export function grantedSecrets(
  names: readonly string[],
  { environment }: Pick<CommandContext, "environment">,
): Readonly<Record<string, string>> {
  const granted: Record<string, string> = Object.create(null);
  for (const name of names) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") throw unset(name);
    granted[name] = value;
  }
  return granted;
}

/** A variable is passed to the skill that asks for it in its header, and to no other. */
export function requireDeclared(names: readonly string[], { manifest, qualifiedName }: Skill): void {
  const declared = manifest.gating.env.map(({ name }) => name);
  const odd = names.find((name) => !declared.includes(name));
  if (odd === undefined) return;
  const hint = declared.length === 0 ? "It declares none." : `It declares: ${declared.join(", ")}`;
  throw new CliError("secret-undeclared", `${qualifiedName} does not declare the variable ${odd}.`, {
    hints: [hint],
    details: { name: odd, declared },
  });
}

/** Says which variables a skill asks for and are set here, but stay here: its script finds them empty. */
export function describeWithheld(
  names: readonly string[],
  { manifest, qualifiedName }: Skill,
  { environment }: Pick<CommandContext, "environment">,
): string | undefined {
  const withheld = manifest.gating.env
    .map(({ name }) => name)
    .filter((name) => !names.includes(name) && Object.hasOwn(environment, name) && environment[name] !== "");
  const [first] = withheld;
  if (first === undefined) return undefined;
  const flags = withheld.map((name) => `--secret ${name}`).join(" ");
  return `${qualifiedName} asks for ${withheld.join(", ")}, set here but not passed on. To pass: ${flags}`;
}

/** A grant that the session did not take must not go by unnoticed. */
export function requireTaken(names: readonly string[], { provided }: DependencyAnswer): void {
  const left = names.find((name) => !provided.includes(name));
  if (left === undefined) return;
  throw new CliError("secret-not-taken", `The variable ${left} was not taken for the skill.`, {
    hints: ["Leave it out, or see what the skill asks for: skillet explain"],
    details: { name: left },
  });
}

/**
 * The context in which the granted variables are not set: a session asks for what is missing, and what it is given
 * then reaches the script and nothing else.
 */
export function withoutSecrets(context: CommandContext, names: readonly string[]): CommandContext {
  const kept = Object.entries(context.environment).filter(([name]) => !names.includes(name));
  return { ...context, environment: Object.fromEntries(kept) };
}

function unset(name: string): CliError {
  return new CliError("secret-missing", `The variable ${name} is not set here, so it cannot be passed on.`, {
    hints: [
      "Set it for this one command, from where you keep it; do not write its value on the command line.",
    ],
    details: { name },
  });
}
