import { parseSkill, type Skill } from "@skillet/core";

/**
 * A SKILL.md with the fields of its header that tell Claude Code what the skill is for and how it is carried out, and no
 * others: `allowed-tools` there lets tools run without a question, and `hooks` are commands that run with every call. The
 * body stays as it is.
 */
export function withoutGrants({ manifest, path, directoryName }: Skill, text: string): string {
  const { body } = parseSkill(text, { mode: "lenient", file: path, directoryName });
  const { name, description, whenToUse, args, invocation, execution, license, compatibility, version } =
    manifest;
  const fields: Readonly<Record<string, unknown>> = {
    ...{ name, description, when_to_use: whenToUse, license, compatibility, version },
    ...{ "argument-hint": args.hint, arguments: args.names.length > 0 ? args.names : undefined },
    "disable-model-invocation": invocation.model ? undefined : true,
    "user-invocable": invocation.user ? undefined : false,
    ...(execution.context === "fork" && { context: "fork", agent: execution.agent }),
    ...{ model: execution.model, effort: execution.effort },
  };
  // JSON is YAML, and leaves nothing to another reader's taste.
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}\n`],
  );
  return `---\n${lines.join("")}---\n${body}\n`;
}
