import { posix } from "node:path";
import { suggestNames } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { listFirst } from "@skillet/kit/text";
import type { OfferedItem } from "../plan-item.ts";
import { bareName } from "./find-offers.ts";

export interface PickRequest {
  /** The requested folder. A skill directly in it is the one that is meant, whatever is below it. */
  readonly folder: string;
  readonly names: readonly string[];
  readonly all: boolean;
  readonly choose?: ((offers: readonly OfferedItem[]) => Promise<readonly OfferedItem[]>) | undefined;
  readonly source: string;
  /** Consider everything, including skills beside a plugin at the root of the source. */
  readonly isSurvey?: boolean | undefined;
}

/** Picks the offers to install; asks for a choice that is missing and cannot be guessed, or throws an error. */
export async function pickOffers(
  offers: readonly OfferedItem[],
  request: PickRequest,
): Promise<readonly OfferedItem[]> {
  const { folder, names, all, choose, source } = request;
  if (names.length > 0) return names.map((name) => pickByName(offers, name, source));
  const visible = offers.filter(({ internal }) => !internal);
  const skills = visible.filter(({ kind }) => kind === "skill");
  if (all && visible.length > 0) return skills.length > 0 ? skills : visible;
  const [only, second] = visible;
  if (only === undefined) throw nothing(source, offers.length);
  if (second === undefined) return [only];
  const root = rootOf(visible, folder);
  const looksBeside = request.isSurvey && root?.kind === "plugin" && choose !== undefined;
  if (root !== undefined && !looksBeside) return [root];
  if (choose !== undefined) return choose(visible);
  throw choiceNeeded(source, visible);
}

// The source as a whole is a plugin only if it contains nothing else.
function rootOf(offers: readonly OfferedItem[], folder: string): OfferedItem | undefined {
  const there = offers.filter((offer) => offer.folder === folder && offer.elsewhere === undefined);
  const whole = there.find((plugin) =>
    offers.every((one) => one === plugin || (plugin.kind === "plugin" && one.plugin === plugin.name)),
  );
  return there.find(({ kind }) => kind === "skill") ?? whole;
}

function pickByName(offers: readonly OfferedItem[], name: string, source: string): OfferedItem {
  const prefix = name.slice(0, Math.max(0, name.indexOf(":")));
  const bare = bareName(name);
  const kinds: readonly OfferedItem["kind"][] =
    prefix === "plugin" ? ["plugin"] : prefix === "" ? ["skill", "plugin"] : ["skill"];
  for (const kind of kinds) {
    const ofKind = offers.filter(
      (offer) => offer.kind === kind && (kind === "plugin" || prefix === "" || offer.plugin === prefix),
    );
    const declared = ofKind.filter((offer) => offer.name === bare);
    const found =
      declared.length > 0 ? declared : ofKind.filter((offer) => posix.basename(offer.folder) === bare);
    const [first, second] = found;
    if (first !== undefined && second === undefined) return first;
    if (first !== undefined) throw ambiguous(name, source, found);
  }
  throw notFound(name, source, offers);
}

const MAX_NAMED = 12;

function nothing(source: string, hidden: number): SkilletError {
  const why = hidden > 0 ? "only skills that are marked as internal" : "no SKILL.md and no plugin";
  const message = `${source} holds ${why}; check the address, the ref and the folder.`;
  return new SkilletError("nothing-to-install", message, { data: { source } });
}

function choiceNeeded(source: string, offers: readonly OfferedItem[]): SkilletError {
  const ofKind = (wanted: OfferedItem["kind"]) => offers.filter(({ kind }) => kind === wanted);
  const names = [...ofKind("plugin"), ...ofKind("skill")].map(({ name }) => name);
  const message = `${source} holds ${names.length} skills and plugins: ${listFirst(names, MAX_NAMED)}. Pass --skill NAME, or --all for every skill; --list describes them.`;
  return new SkilletError("choice-needed", message, { data: { source, names } });
}

function ambiguous(name: string, source: string, offers: readonly OfferedItem[]): SkilletError {
  const folders = offers.map(({ folder }) => folder);
  const message = `${source} holds ${folders.length} skills called ${name}, in ${listFirst(folders, MAX_NAMED)}; add the folder to the source instead.`;
  return new SkilletError("offer-ambiguous", message, { data: { source, name, folders } });
}

function notFound(name: string, source: string, offers: readonly OfferedItem[]): SkilletError {
  const near = suggestNames(name, [...new Set(offers.map((offer) => offer.name))]);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "To see what there is: --list";
  const message = `${source} holds no skill or plugin called ${name}. ${hint}`;
  return new SkilletError("offer-not-found", message, { data: { source, name, near } });
}
