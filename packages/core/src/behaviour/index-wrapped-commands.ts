import { COMMAND_MARK, findEvidence, splitBody } from "@skillet/select/parts";
import type { Skill } from "../registry/skill.ts";

/** A command that more skills wrap says nothing about one of them. */
const MAX_WRAPPING_SKILLS = 3;
/** As much of the instructions as selection reads. */
const MAX_BODY_CHARACTERS = 16_000;

/** Which enabled skills wrap a command; commands that many wrap, or that stand for nothing in particular, are left out. */
export function indexWrappedCommands(
  skills: readonly Skill[],
  bodyOf: (skill: Skill) => string | undefined = () => undefined,
): ReadonlyMap<string, readonly Skill[]> {
  const wrapping = new Map<string, Skill[]>();
  for (const skill of skills) {
    if (skill.state !== "enabled" || skill.kind !== "skill") continue;
    const { shell } = splitBody((bodyOf(skill) ?? "").slice(0, MAX_BODY_CHARACTERS));
    for (const mark of findEvidence(skill.manifest, { header: "", shell })) {
      const command = mark.startsWith(COMMAND_MARK) ? mark.slice(COMMAND_MARK.length) : "";
      if (command === "" || COMMON.has(command)) continue;
      const others = wrapping.get(command);
      if (others === undefined) wrapping.set(command, [skill]);
      else if (others.length <= MAX_WRAPPING_SKILLS) others.push(skill);
    }
  }
  for (const [command, { length }] of wrapping) if (length > MAX_WRAPPING_SKILLS) wrapping.delete(command);
  return wrapping;
}

// People and agents call these for everything, whatever skill mentions them.
const COMMON: ReadonlySet<string> = new Set(
  (
    "alias apt apt-get basename bun bunx bzip2 cargo chown clear cmp command cut date dd deno df diff dirname dnf du env " +
    "eval exec file fish g++ gcc getopt gunzip gzip history hostname id java javac kill killall less ln lsof man md5sum " +
    "more nano nice nl nohup od pdm perl php pipx pnpm poetry popd ps pushd pwsh powershell pytest readlink realpath rg " +
    "rmdir rsync ruby rustc scp seq sha256sum shasum shift ssh stat su tar time timeout top tr trap tree ts-node tsx " +
    "type umask uname uniq unset unzip uvx vi vim wait watch who whoami xdg-open xxd xz yarn yes zip zsh"
  ).split(" "),
);
