import { basename, join, relative } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import type { LockedTarget } from "../lock/lock-entry.ts";
import { nameFiles } from "../place/find-drift.ts";
import { lstatOrAbsent } from "../place/stage.ts";
import { verifyTarget } from "../place/verify-entry.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { lockSource } from "../plan/lock-source.ts";
import { planItem } from "../plan/plan-reading.ts";
import { asOwn, offersIn, pickFrom, readOffer, refuseReading } from "../plan/read-offer.ts";
import type { PlannedItem, RefusedItem } from "../plan-item.ts";
import { withOpened } from "../sources/open-source.ts";
import { parseSource, sourceOrNone } from "../sources/parse-source.ts";
import { type Source, showSource } from "../sources/source.ts";
import { isTracked, repositoryAround, runGit } from "../switch/git-around.ts";
import { targetsFor } from "../target/targets.ts";
import { importSkillsLock } from "./import-skills-lock.ts";

export interface AdoptRequest {
  /** Agents' folders that contain the skill, all with the same bytes; some may be links. */
  readonly places: readonly string[];
  readonly force: boolean;
}

/**
 * Plans to list a skill that is already in agents' folders: these stay as they are, and Skillet's library
 * gets a copy, so that the skill can be kept from one agent like any other.
 */
export async function planAdopt(
  parts: HubParts,
  { places, force }: AdoptRequest,
): Promise<PlannedItem | RefusedItem> {
  const copies: string[] = [];
  for (const place of places) if ((await lstatOrAbsent(place))?.isDirectory() === true) copies.push(place);
  const [folder = ""] = copies;
  if (folder === "") {
    const [name, place] = [basename(places[0] ?? ""), canonicalPath(places[0] ?? "")];
    const reason = `${name} is only a link to ${place}. Remove the link, then install it from there with --link.`;
    return { state: "refused", name, source: place, code: "linked", reason };
  }
  const own = parseSource(folder, parts);
  return withOpened(own, { ...parts.fetching, askedBy: "person" }, async (opened) => {
    const from = { source: own, opened, askedBy: "person" } as const;
    const found = await offersIn(parts, from, []);
    const wanted = { names: [], source: showSource(own) };
    const [offer] = await pickFrom(from, found.offers, wanted);
    if (offer === undefined) throw new SkilletError("offer-not-found", `${folder} does not hold a skill.`);
    const reading = asOwn(parts, await readOffer(parts, from, offer), true);
    if (reading.state === "unfit") return refuseReading(reading, folder);
    const { name } = reading;
    const guessed = await guessSource(parts, name, folder);
    const links = places.filter(
      (path) => !copies.includes(path) && canonicalPath(path) === canonicalPath(folder),
    );
    const library = targetsFor({ ...parts, name, agents: [], how: "copy" });
    const targets: readonly LockedTarget[] = [
      ...copies.map((path) => ({ path, how: "copy" }) as const),
      ...links.map((path) => ({ path, how: "link" }) as const),
      ...library,
    ];
    // It holds its own name, so `held` is empty. A guessed source makes it neither the user's own nor proven.
    const planned = await planItem(
      { ...parts, held: new Map() },
      guessed === undefined ? reading : { ...reading, unproven: true },
      { source: lockSource(guessed ?? own, parts), targets, force, askedBy: "person" },
    );
    if (planned.state === "refused") return planned;
    for (const target of targets.slice(0, -library.length)) {
      const drift = await verifyTarget(target, planned.entry, parts);
      const reason = `${name} is not adopted: ${target.path} has files that a lock cannot list: ${nameFiles(drift)}. Move them away first.`;
      if (drift.length > 0) return { ...planned, state: "refused", code: "unfit", source: folder, reason };
    }
    return planned;
  });
}

const MAX_LOCK_BYTES = 16 * 1024 * 1024;

/** Guesses a skill's source: its entry in the lock of the `skills` command, or the repository that tracks it. */
async function guessSource(parts: HubParts, name: string, folder: string): Promise<Source | undefined> {
  const { userHome, environment } = parts;
  const root = join(userHome, ".agents");
  const file = join(root, ".skill-lock.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES });
  const imported = bytes && importSkillsLock(Buffer.from(bytes).toString(), { file, root, userHome });
  const listed = imported?.skills.find((one) => one.name === name);
  if (listed !== undefined && canonicalPath(folder).startsWith(canonicalPath(root))) return listed.source;
  if (!(await isTracked(environment, folder))) return undefined;
  const place = canonicalPath(folder);
  const repository = repositoryAround(place);
  const url = repository && (await runGit(environment, repository, ["config", "--get", "remote.origin.url"]));
  if (repository === undefined || url === undefined) return undefined;
  const below = relative(repository, place);
  const address = { kind: "git", url: url.replace(/\.git$/, "") } as const;
  const source: Source = below === "" ? address : { ...address, folder: below };
  // Parsed like a command-line source: what that refuses, for example a password in a URL, does not get into a lock.
  return sourceOrNone(showSource(source), parts);
}
