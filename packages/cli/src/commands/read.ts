import type { ResourceRead, Session, Skill, SkillResolution, ToolRoots } from "@skillet/core";
import { suggestNames } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { didYouMean, refusalError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type OfName } from "../context/command-context.ts";
import { hiddenHints, refusal } from "../context/create-ask.ts";
import { findSkill, lookUpSkill, openRegistry } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import { printText } from "../ui/terminal.ts";
import { formatBytes, hang, showPath } from "../ui/text.ts";

interface ReadCommandOptions extends OfName {
  readonly path: string;
  readonly maxBytes?: number;
  readonly toolRoot?: ToolRoots;
}

export async function read(context: CommandContext, options: ReadCommandOptions): Promise<ExitCode> {
  const { name, path, maxBytes } = options;
  const skills = await openRegistry(context, { ...options, servers: true });
  const session = await skills.session({ interactive: true });
  const found = lookUpSkill(skills, name, context.workspace);
  const skill = findSkill(skills, name, context.workspace);
  if (skill !== undefined) await startForUser(session, skill);
  const result = await session.read(skill?.qualifiedName ?? name, path, present({ maxBytes }));
  const exitCode = result.status === "read" ? 0 : 1;
  const { bytes: _bytes, ...shown } = result;
  if (context.json) return answer(context, shown, () => [], exitCode);
  if (result.error !== undefined) {
    const { code, message }: { readonly code: string; readonly message: string } = result.error;
    throw refusalError(code, `${code}: ${message}`, {}, await readHints(result, session, found));
  }
  if (result.content !== undefined) printText(context.terminal, result.content);
  warnDiagnostics(context, result.diagnostics);
  context.terminal.warn(hang(noteAbout(result, context), context.terminal.errors));
  return exitCode;
}

// A session reads files only of skills that a model may load or that the user started.
async function startForUser(session: Session, skill: Skill): Promise<void> {
  const mayUse = (source: "model" | "user"): boolean =>
    session.mayUse(skill, { source }).obstacle === undefined;
  const isForUsers = !mayUse("model") && mayUse("user");
  if (!isForUsers) return;
  try {
    await session.activate(skill.qualifiedName, { source: "user" });
  } catch (error) {
    throw refusal(error) ?? error;
  }
}

function noteAbout(result: ResourceRead, { environment }: CommandContext): string {
  const { status, path, resourcePath = path, content = "", observedSizeBytes: size = 0 } = result;
  if (status === "binary")
    return `${path} is binary (${formatBytes(size)}, ${result.observedDigest}) and is not shown; it is at ${showPath(resourcePath, environment)}`;
  if (result.truncated !== true) return "";
  return `Cut after ${Buffer.byteLength(content)} of ${size} bytes; --max-bytes can be up to 256000.`;
}

async function readHints(
  { path, error }: ResourceRead,
  session: Session,
  found: SkillResolution,
): Promise<readonly string[]> {
  const skill = found.kind === "found" ? found.skill : undefined;
  if (error?.code === "skill-not-found") {
    if (skill !== undefined) return hiddenHints(session, skill);
    return didYouMean(found.kind === "unknown" ? found.suggestions : [], "See what there is: skillet show");
  }
  if (error?.code !== "resource-not-indexed" || skill === undefined) return [];
  const name = shellArgument(skill.qualifiedName);
  if (path === "SKILL.md") return [`Its instructions: skillet activate ${name}`];
  const files = (await session.resources(skill.qualifiedName)).map((resource) => resource.path);
  return didYouMean(suggestNames(path, files), `See its files: skillet explain ${name}`);
}
