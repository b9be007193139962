import { basename, dirname, join } from "node:path";
import type { Skill } from "@skillet/core";
import { AGENTS } from "@skillet/core/internal";
import type { PlannedItem, RefusedItem } from "@skillet/hub";
import { canonicalPath } from "@skillet/kit/files";
import type { CommandContext, ExitCode, OfNames } from "../context/command-context.ts";
import { readInstalled, resolveSkill } from "../context/open-registry.ts";
import { type CarryOutFlags, carryOut } from "../hub/carry-out.ts";
import { withHub } from "../hub/with-hub.ts";
import { groupOf } from "./toggle.ts";

/** Adds skills that are already in agents' folders to the user's lock; no files are moved. */
export async function adopt(context: CommandContext, options: CarryOutFlags & OfNames): Promise<ExitCode> {
  const { names, force = false } = options;
  const { environment, workspace } = context;
  return withHub(context, { ...options, asks: true }, async (work) => {
    const { hub, skills, userHome } = work;
    const findInstalled = await readInstalled(context, skills);
    const folders = new Set(
      AGENTS.flatMap((agent) => agent.userReads({ userHome, environment })).map(canonicalPath),
    );
    const placesOf = ({ path, alsoAt, kind, scope }: Skill): readonly string[] =>
      kind === "skill" && (scope === "user" || scope === "plugin")
        ? [path, ...alsoAt]
            .map((file) => join(canonicalPath(dirname(dirname(file))), basename(dirname(file))))
            .filter((place) => folders.has(dirname(place)))
        : [];
    const isListed = ({ path, alsoAt }: Skill): boolean =>
      [path, ...alsoAt].some((file) => findInstalled(file) !== undefined);
    // Of an installed skill: folders with the same files that its lock entry does not list.
    const copiesOf = (skill: Skill): readonly string[] =>
      placesOf(skill).filter(
        (place) => isListed(skill) && findInstalled(join(place, "SKILL.md")) === undefined,
      );
    const isOpen = (skill: Skill): boolean => placesOf(skill).length > 0 && !isListed(skill);
    const items = new Map<string, PlannedItem>();
    const refusals: RefusedItem[] = [];
    const named = names.map((name) => groupOf(skills, resolveSkill(skills, name, workspace), name));
    const namesakes = named.flatMap(([, ...others]) => others.filter(isOpen));
    const all = skills.snapshot.skills.filter((skill) => isOpen(skill) || copiesOf(skill).length > 0);
    const chosen = names.length > 0 ? [...named.map(([skill]) => skill), ...namesakes] : all;
    const installed = (await hub.list()).skills;
    const refusalOf = (skill: Skill): Pick<RefusedItem, "code" | "reason"> | undefined => {
      const { name } = skill;
      const copies = copiesOf(skill).map((place) => ` ${place} has the same files, and stays as it is.`);
      if (isListed(skill))
        return { code: "present", reason: `It is in your lock already.${copies.join("")}` };
      if (placesOf(skill).length === 0)
        return { code: "unfit", reason: `${name} is not in any of your agents' folders.` };
      const code = "name-taken";
      if (installed.has(name))
        return { code, reason: `Another skill called ${name} is in your lock already.` };
      const reason = `Another skill called ${name}, with other files, is adopted instead. To adopt this one, rename it or pass its folder alone.`;
      return items.has(name) ? { code, reason } : undefined;
    };
    for (const skill of new Set(chosen)) {
      const refusal = refusalOf(skill);
      // Two skills that share a name are told apart by their qualified names.
      const { qualifiedName: name, directory: source } = skill;
      const planned: PlannedItem | RefusedItem = refusal
        ? { state: "refused", name, source, ...refusal }
        : await hub.planAdopt({ places: placesOf(skill), force });
      if (planned.state === "planned") items.set(planned.name, planned);
      else refusals.push(planned);
    }
    // A skill that cannot be adopted does not stop the others, unless the user named it.
    const failed = refusals.filter(
      ({ code, source }) =>
        names.length === 0 || code === "present" || namesakes.some(({ directory }) => directory === source),
    );
    const plan = {
      items: [...items.values()],
      failed,
      diagnostics: [],
      refusals: refusals.filter((one) => !failed.includes(one)),
    };
    const nothing =
      "There is nothing to adopt: your agents' folders hold no skill that is not in your lock already.";
    return carryOut(context, work, plan, { ...options, verb: "Adopt", nothing });
  });
}
