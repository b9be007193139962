import { CliError } from "../cli-error.ts";

const MAX_NAME = 64;
// As the specification has it: what other agents would not load is not worth a name.
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What is wrong with a name that somebody gives a skill, with one that would do; undefined where nothing is. */
export function newNameProblem(name: string): string | undefined {
  if (NAME.test(name) && name.length <= MAX_NAME) return undefined;
  const near = nearName(name);
  const help = near === "" ? "" : `; ${near} would do`;
  return `${JSON.stringify(name.slice(0, MAX_NAME))} is no name for a skill: only a-z, 0-9 and single hyphens between them, at most ${MAX_NAME} characters${help}.`;
}

/** Refuses a name that the specification does not allow. */
export function checkNewName(name: string): void {
  const problem = newNameProblem(name);
  if (problem !== undefined) throw new CliError("usage", problem, { hints: ["See: skillet help install"] });
}

function nearName(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, "");
}
