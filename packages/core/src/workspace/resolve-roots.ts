import { join } from "node:path";
import type { Origin, Scope } from "../registry/skill.ts";
import type { RootTrust, SkillRoot } from "../registry/skill-root.ts";
import { canonicalPath } from "../source/canonical-path.ts";
import { LocalSource, type LocalSourceOptions } from "../source/local/local-source.ts";
import type { TraversalLimits } from "../source/local/traversal-limits.ts";
import type { SkillSource } from "../source/skill-source.ts";

/** Everything that decides where skills are looked for. */
export interface RootPlan {
  readonly userHome: string;
  readonly organisationDirectory: string | undefined;
  readonly bundledDirectory: string | undefined;
  readonly pluginsDirectory: string;
  readonly userDirectory: string;
  /** From the working directory up to the project's root. */
  readonly projectFolders: readonly string[];
  readonly projectTrust: RootTrust;
  readonly extra: readonly { readonly path: string; readonly scope: Scope }[];
  /** Highest first. */
  readonly precedence: readonly Scope[];
  readonly limits: Partial<TraversalLimits>;
}

const ORIGIN_OF: Readonly<Record<Scope, Origin>> = {
  explicit: "local",
  organisation: "organisation",
  // Until the hub has derived better from where it fetched them.
  plugin: "community",
  project: "local",
  claude: "local",
  user: "local",
  bundled: "builtin",
};

interface Place {
  readonly scope: Scope;
  readonly path: string;
  readonly layout?: "commands";
}

/** The default roots, highest precedence first; folders need not exist. */
export function resolveRoots(plan: RootPlan): SkillRoot[] {
  const places = [...listPlaces(plan)].sort(
    (left, right) => rank(plan, left.scope) - rank(plan, right.scope),
  );
  return createRoots(
    places,
    (scope) => (isProject(scope) ? plan.projectTrust : { kind: "trusted" }),
    plan.limits,
  );
}

/** Only these folders, as explicit roots. */
export function explicitRoots(paths: readonly string[], limits: Partial<TraversalLimits>): SkillRoot[] {
  return createRoots(
    paths.map((path) => ({ scope: "explicit", path })),
    () => ({ kind: "trusted" }),
    limits,
  );
}

/** Sources of the host's own, which it vouches for by passing them. */
export function sourceRoots(sources: readonly SkillSource[]): SkillRoot[] {
  return sources.map((source) => ({
    scope: "explicit",
    origin: "local",
    source,
    path: source.toolPath(""),
    trust: { kind: "trusted" },
  }));
}

function* listPlaces(plan: RootPlan): Generator<Place> {
  if (plan.organisationDirectory !== undefined)
    yield { scope: "organisation", path: join(plan.organisationDirectory, "skills") };
  yield { scope: "plugin", path: plan.pluginsDirectory };
  for (const folder of plan.projectFolders)
    for (const name of [".skillet/skills", ".agents/skills", ".agent/skills"])
      yield { scope: "project", path: join(folder, name) };
  for (const folder of plan.projectFolders) {
    yield { scope: "claude", path: join(folder, ".claude/skills") };
    yield { scope: "claude", path: join(folder, ".claude/commands"), layout: "commands" };
  }
  yield { scope: "user", path: plan.userDirectory };
  yield { scope: "user", path: join(plan.userHome, ".agents/skills") };
  yield { scope: "user", path: join(plan.userHome, ".claude/skills") };
  yield { scope: "user", path: join(plan.userHome, ".claude/commands"), layout: "commands" };
  yield* plan.extra;
  if (plan.bundledDirectory !== undefined) yield { scope: "bundled", path: plan.bundledDirectory };
}

function createRoots(
  places: readonly Place[],
  trustOf: (scope: Scope) => RootTrust,
  limits: Partial<TraversalLimits>,
): SkillRoot[] {
  const roots: SkillRoot[] = [];
  const seen = new Set<string>();
  const canonical = places.map(({ scope, path }) => ({ scope, path: canonicalPath(path) }));
  for (const { scope, path, layout } of places) {
    // A project may not borrow the user's folders by linking to them; trusted roots may lead into each other.
    const allowed = isProject(scope) ? canonical.filter((other) => isProject(other.scope)) : canonical;
    const options: LocalSourceOptions = {
      limits,
      allowedRoots: allowed.map((other) => other.path),
      ...(layout === undefined ? {} : { layout }),
    };
    const source = new LocalSource(path, options);
    // One folder under two names, such as a project that is the home folder: the higher precedence has it.
    if (seen.has(source.id)) continue;
    seen.add(source.id);
    roots.push({ scope, origin: ORIGIN_OF[scope], source, path: source.root, trust: trustOf(scope) });
  }
  return roots;
}

function isProject(scope: Scope): boolean {
  return scope === "project" || scope === "claude";
}

function rank(plan: RootPlan, scope: Scope): number {
  const place = plan.precedence.indexOf(scope);
  return scope === "explicit" ? -1 : place < 0 ? plan.precedence.length : place;
}
