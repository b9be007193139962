import { dirname } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import { configPath, createEnablement, needsTrust, projectConfigPath } from "@skillet/core/internal";
import type { ConfigRecord, SwitchAction, SwitchStep } from "@skillet/hub";
import { canonicalPath } from "@skillet/kit/files";
import type { SwitchPlan } from "./plan-switch.ts";

interface ConfigRequest extends SwitchPlan {
  readonly layer: "user" | "project";
  readonly group: readonly Skill[];
}

interface Planned {
  readonly plans: readonly SwitchPlan[];
  readonly steps: readonly SwitchStep[];
}

type Place = { readonly directory: string } & Pick<ConfigRecord["override"], "scope" | "selectBy">;

/** Adds the changes to Skillet's own config; each plan has one group of skills. */
export function withConfig(
  { plans, steps }: Planned,
  skills: Skills,
  { layer, groups }: Pick<ConfigRequest, "layer"> & { readonly groups: readonly (readonly Skill[])[] },
): Planned {
  const added = plans.map((plan, index) =>
    planConfig(skills, { ...plan, layer, group: groups[index] ?? [] }),
  );
  return {
    plans: plans.map((plan, index) => ({ ...plan, steps: [...plan.steps, ...(added[index] ?? [])] })),
    steps: [...steps, ...added.flat()],
  };
}

function planConfig(skills: Skills, request: ConfigRequest): readonly SwitchStep[] {
  const { action, name, asked, group, steps } = request;
  const { home, project } = skills;
  return group.flatMap((skill) => {
    const isOfProject = action === "remove" ? needsTrust(skill.scope) : request.layer === "project";
    const projectRoot = isOfProject ? project?.root : undefined;
    const layer = projectRoot === undefined ? "user" : "project";
    const change = changeOf(skills, skill, action, layer);
    if (change === undefined) return [];
    const { kind, plugin } = skill;
    const file = projectRoot === undefined ? configPath(home) : projectConfigPath(projectRoot);
    const isDone = ({ directory, scope, selectBy }: Place): boolean =>
      steps.some(({ record: one }) => {
        if (one.kind !== "config" || one.file !== file || one.override.selectBy !== selectBy) return false;
        return selectBy === "name" ? one.override.scope === scope : one.override.directory === directory;
      });
    return placesOf(skills, skill, { ...request, layer })
      .filter((place) => !isDone(place))
      .map((place): SwitchStep => {
        const { takeBackOnly } = change;
        const override = {
          layer,
          projectRoot,
          name: skill.name,
          kind,
          plugin,
          ...place,
          takeBackOnly,
        } as const;
        const onlyIn = action === "disable" ? projectRoot : undefined;
        const record = { kind: "config", skill: name, agents: [], asked, onlyIn, file, override } as const;
        return action === "disable" ? { record } : { record, isBack: true };
      });
  });
}

/** Undefined if nothing has to change, or if no entry in this layer could change anything. */
function changeOf(
  { config: { layers }, project }: Skills,
  skill: Skill,
  action: SwitchAction,
  layer: "user" | "project",
): { readonly takeBackOnly: boolean } | undefined {
  const isDisabled = skill.state === "disabled";
  const there = createEnablement(layers.filter(({ kind }) => kind === layer))(skill);
  const isOffThere = there.by !== undefined && !there.enabled;
  if (action === "disable")
    return (layer === "user" ? isDisabled : isOffThere) ? undefined : { takeBackOnly: true };
  if (action === "remove") return isOffThere ? { takeBackOnly: true } : undefined;
  // A project's config counts only once the folder is trusted.
  if (layer === "project")
    return project?.trusted === true && !isDisabled ? undefined : { takeBackOnly: false };
  const by = createEnablement(layers)(skill).by?.layer;
  const isDecidedHere = by === "user" || by === "organisation";
  return isOffThere || (isDisabled && isDecidedHere) ? { takeBackOnly: !isDecidedHere } : undefined;
}

function placesOf(skills: Skills, skill: Skill, request: ConfigRequest): readonly Place[] {
  const { steps } = request;
  const { scope, plugin, directory, alsoAt } = skill;
  const moved = steps.flatMap(({ record }) => (record.kind === "move" ? [record] : []));
  const comesBackTo = (folder: string): string => moved.find(({ to }) => to === folder)?.from ?? folder;
  const selectBy = selectorOf(skills, skill, request);
  // An override by folder does not cover copies in other folders, and an override of an installed skill by
  // name does not cover copies that stay in agents' folders.
  const isInstalled = scope === "plugin" && plugin === undefined;
  const leaving = steps.flatMap(({ record }) =>
    record.kind === "move" ? [record.from] : record.kind === "target" ? [record.target.path] : [],
  );
  const isStaying = (folder: string): boolean =>
    canonicalPath(folder) !== canonicalPath(directory) && !leaving.includes(folder);
  const copies = alsoAt
    .map(dirname)
    .filter((folder) => selectBy === "folder" || (isInstalled && isStaying(folder)));
  return [
    { directory: comesBackTo(directory), scope, selectBy },
    ...copies.map((copy) => ({
      directory: comesBackTo(copy),
      scope: isInstalled ? ("user" as const) : scope,
      selectBy: isInstalled ? ("folder" as const) : selectBy,
    })),
  ];
}

// A path means just that skill, and a project's skill that project's; an override by name would also switch a
// skill of the same name.
function selectorOf(
  { snapshot }: Skills,
  skill: Skill,
  { asked = "", group, layer }: ConfigRequest,
): "name" | "folder" {
  if (skill.kind === "command") return "name";
  if (layer === "user" && needsTrust(skill.scope)) return "folder";
  const isNamesake = ({ scope, name, plugin }: Skill): boolean =>
    scope === skill.scope &&
    name.normalize() === skill.name.normalize() &&
    (skill.plugin === undefined || plugin === skill.plugin);
  const hasNamesake = snapshot.skills.some((other) => !group.includes(other) && isNamesake(other));
  return asked.startsWith("/") || hasNamesake ? "folder" : "name";
}
