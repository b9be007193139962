import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { SkillTemplate, TemplateFile } from "@skillet/author";
import { treeDigestOf } from "@skillet/kit/digest";
import { errorCode } from "@skillet/kit/errors";
import { isInside, makeFolders, writeAtomic } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import { refusalError, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type OfName,
  type Texts,
} from "../context/command-context.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { newNameProblem } from "../hub/plan-import.ts";
import { loadSelecting } from "../load-beside.ts";
import { trustPlaced } from "../trust/trust-placed.ts";
import { hang, showPath } from "../ui/text.ts";
import { type Change, linkChanges, orUnwritable, staysInside } from "./init.ts";

interface NewOptions extends OfName<"user">, Texts<"description"> {
  readonly template: SkillTemplate;
}

const MAX_DESCRIPTION = 1024;

export async function newSkill(context: CommandContext, options: NewOptions): Promise<ExitCode> {
  const { name, template, description } = options;
  const problem = newNameProblem(name);
  if (problem !== undefined) throw usageError("new", problem);
  if (description !== undefined && !isDescription(description))
    throw usageError("new", `A description is one line of 1 to ${MAX_DESCRIPTION} characters.`);
  const files = loadSelecting().skillFromTemplate({ name, template, description });
  const { folder, links, namesakes, holder } = await placeNewSkill(context, {
    name,
    files,
    isUser: options.user === true,
  });
  const schema = await placeSchema(join(folder, "../../skill.schema.json"));
  return answer(
    context,
    {
      name,
      path: join(folder, "SKILL.md"),
      template,
      files: files.map(({ path }) => path),
      links: links.map(({ path, what, undo }) => ({ path, what, undo })),
      namesakes,
    },
    () => [
      ...screen(context, folder, [...files.map(({ path }) => path), ...schema], links),
      ...hang(
        namesakes.length === 0 ? "" : sharedWords(name, { namesakes, holder }, context),
        context.terminal,
      ),
    ],
  );
}

function sharedWords(
  name: string,
  { namesakes: [first = ""], holder }: { namesakes: readonly string[]; holder: string | undefined },
  { environment }: CommandContext,
): string {
  const whose = holder === undefined ? "" : ` Here the name means ${showPath(holder, environment)}.`;
  return `${name} is also the name of ${showPath(first, environment)}.${whose} To see both: skillet explain ${name}`;
}

/** Writes the schema that the headers of all skills in this folder refer to; an existing file stays. */
async function placeSchema(path: string): Promise<readonly string[]> {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return [];
  await orUnwritable(path, () => writeAtomic(path, schemaText(), { links: "refuse" }));
  return ["../../skill.schema.json, for editors"];
}

export function schemaText(): string {
  return `${JSON.stringify(loadSelecting().frontmatterSchema(), null, 2)}\n`;
}

/** Writes a skill where agents read it, trusts these bytes, and links it for agents that read elsewhere. */
export async function placeNewSkill(
  context: CommandContext,
  { name, files, isUser }: { name: string; files: readonly TemplateFile[]; isUser: boolean },
): Promise<{
  folder: string;
  links: readonly Change[];
  namesakes: readonly string[];
  holder: string | undefined;
}> {
  const { userHome, project } = openWorkspace(context);
  // Any folder could be a project, but a skill in a folder that does not look like one would never be found.
  const isMarked = project !== undefined && MARKS.some((mark) => existsSync(join(project.root, mark)));
  const root = isMarked && !isUser ? project.root : undefined;
  const parent = join(root ?? userHome, ".agents/skills");
  // A repository may contain a link in place of its skills folder.
  if (root !== undefined && !staysInside(parent, root)) {
    const message = `${parent} leads out of the project, or nowhere, so nothing was written.`;
    const hints = ["Remove the link, or make the skill your own with --user."];
    throw refusalError("skills-folder-outside", message, {}, hints);
  }
  const folder = join(parent, name);
  await orUnwritable(folder, () => placeSkill(folder, files));
  // Trusts these bytes rather than the path, because the repository may have put other files there.
  const written = treeDigestOf(
    files.map(({ path, text }) => ({
      path,
      mode: modeOf(path) === 0o755 ? "755" : "644",
      bytes: Buffer.from(text),
    })),
  );
  if (root !== undefined)
    await trustPlaced(
      context,
      root,
      (path, { tree }) => path === `.agents/skills/${name}` && tree === written,
      folder,
    );
  const skills = await openRegistry({ ...context, skillsRoots: [] });
  const own = skills.snapshot.skills.filter(({ directory }) => directory === folder);
  const links = linkChanges(context, skills, { root, own });
  for (const { path, apply } of links) await orUnwritable(resolve(root ?? "", path), apply);
  const namesakes = skills.snapshot.skills.filter((one) => one.name === name && one.directory !== folder);
  const holder = skills.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name)?.path;
  return { folder, links, namesakes: namesakes.map(({ path }) => path), holder };
}

function isDescription(text: string): boolean {
  return text.trim() !== "" && text.length <= MAX_DESCRIPTION && !/[\p{Cc}\u2028\u2029]/u.test(text);
}

const MARKS = [".git", "skillet.lock", ".agents", ".claude", ".skillet"] as const;

function modeOf(path: string): number {
  return path.startsWith("scripts/") ? 0o755 : 0o644;
}

// Writes to a staging folder first, so that an agent never sees half a skill.
export function placeSkill(folder: string, files: readonly TemplateFile[]): void {
  const message = `${folder} is there already, and was left as it is.`;
  const hints = ["Choose another name, or remove that folder first."];
  const exists = refusalError("skill-exists", message, { path: folder }, hints);
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) throw exists;
  makeFolders(dirname(folder));
  // A repository cannot predict this name, and the folder must be new.
  const staged = join(dirname(folder), `.new-${randomBytes(8).toString("hex")}`);
  mkdirSync(staged);
  try {
    for (const { path, text } of files) {
      const file = join(staged, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: modeOf(path), flag: "wx" });
    }
    renameSync(staged, folder);
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw exists;
    throw error;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

export function linkLines(
  { terminal, environment }: Pick<CommandContext, "terminal" | "environment">,
  links: readonly Change[],
): readonly string[] {
  return links.flatMap(({ path, what, undo }) => [
    ...hang(`${showPath(path, environment)}: ${what}. To undo this:`, terminal, { indent: 2, lead: "  " }),
    `    ${terminal.colours.cyan(undo)}`,
  ]);
}

function screen(
  { terminal, environment, workspace }: CommandContext,
  made: string,
  files: readonly string[],
  links: readonly Change[],
): readonly string[] {
  const { colours } = terminal;
  const folder = shellArgument(isInside(made, workspace) ? relative(workspace, made) : made);
  return [
    ...hang(`Made ${showPath(made, environment)}`, terminal, { indent: 2, lead: `${colours.green("✓")} ` }),
    ...files.map((path) => `    ${path}`),
    ...linkLines({ terminal, environment }, links),
    "",
    ...hang(`Now write it: replace what begins with TODO in ${folder}/SKILL.md, then:`, terminal),
    ...[`lint ${folder}`, `eval triggers ${folder}`].map((words) => `  ${colours.cyan(`skillet ${words}`)}`),
  ];
}
