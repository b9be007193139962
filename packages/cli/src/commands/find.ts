import { dirname } from "node:path";
import type { Offer } from "@skillet/hub";
import { nearestName } from "@skillet/kit/nearest-name";
import { shellArgument } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { onSkilletError } from "../context/on-skillet-error.ts";
import { readInstalled } from "../context/open-registry.ts";
import { ownList } from "../context/open-workspace.ts";
import { vetShown } from "../context/vet-shown.ts";
import { withHub } from "../hub/with-hub.ts";
import { loadInstalling, loadSelecting } from "../load-beside.ts";
import { rulesOf, STATE_WORDS, shownState, verdictWords } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, moreInJson, showPath, stripControl, titleLines } from "../ui/text.ts";

// Each is fetched; a person's list has a handful.
const MAX_SOURCES = 50;
const MAX_SHOWN = 20;

export async function find(
  context: CommandContext,
  options: { readonly words: readonly string[] },
): Promise<ExitCode> {
  const words = options.words.flatMap((word) => word.toLowerCase().match(/\S+/g) ?? []);
  // The user's own alone: a project must not say which hosts are contacted.
  const sources = (await ownList(context, "hub.sources")).slice(0, MAX_SOURCES);
  const failed: { readonly source: string; readonly reason: string }[] = [];
  return withHub(context, { dryRun: true }, async ({ hub, skills: registry, userHome }) => {
    const originOf = await readInstalled(context, registry);
    const { splitClauses } = loadSelecting();
    // What a skill says that it is not for does not make it one to find.
    const matches = ({ name, description }: Pick<Offer, "name" | "description">): boolean => {
      let [about, rest] = [`${name} `, description];
      for (const { kind, text } of splitClauses(description, "description")) {
        const at = rest.indexOf(text);
        // A phrase is part of the clause before it.
        if (kind === "phrase" || at === -1) continue;
        about += rest.slice(0, kind === "negative" ? at : at + text.length);
        rest = rest.slice(at + text.length);
      }
      const searched = `${about}${rest}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    };
    const own = registry.snapshot.skills.filter(({ name, manifest }) =>
      matches({ name, description: manifest.description }),
    );
    const rules = rulesOf(registry);
    const facts = await vetShown(context, registry, own);
    const here = own.map((skill): Found => {
      const { name, qualifiedName, path, scope, manifest } = skill;
      const from = originOf(path)?.source;
      const fact = facts.get(skill);
      const state = shownState(skill, fact, rules);
      const known = scope === "bundled" ? "bundled" : from === undefined ? "on this machine" : "installed";
      const verdict = fact === undefined || fact.verdict === "safe" ? "" : `, ${verdictWords(fact)}`;
      const status = `${known}${verdict}${state === "enabled" ? "" : `, ${STATE_WORDS[state]}`}`;
      const command = `skillet ${state === "enabled" ? "show" : "explain"} ${shellArgument(qualifiedName)}`;
      const { description } = manifest;
      return { name, kind: "skill", description, status, from: from ?? dirname(path), command };
    });
    const { lookInto, parseSource, showSource } = loadInstalling();
    const offersOf = async (source: string): Promise<readonly Found[]> => {
      const tellFailed = onSkilletError(({ message: reason }) => {
        failed.push({ source, reason });
        if (!context.json) context.terminal.warn(stripControl(`${source}: ${reason}`));
      });
      const offers = (await lookInto(hub, { source }).catch(tellFailed))?.offers ?? [];
      if (offers.length === 0) return [];
      const place = parseSource(source, { workspace: context.workspace, userHome });
      // What is installed from there is listed once.
      const isHere = ({ name }: Offer): boolean => {
        const picked = place.kind === "skill-file" ? place : { ...place, pick: name };
        const written = [place, picked].map((one) => anyRef(showSource(one)));
        return here.some((one) => one.name === name && written.includes(anyRef(one.from)));
      };
      const status = "not scanned yet: installing does it";
      return offers
        .filter((offer) => matches(offer) && !isHere(offer))
        .map((offer) => ({ ...offer, status }));
    };
    const skills = [...here, ...(await Promise.all(sources.map(offersOf))).flat()];
    const rank = ({ name, status }: Found): number =>
      (status.startsWith("bundled") ? 2 : 0) +
      (words.some((word) => name.toLowerCase().includes(word)) ? 0 : 1);
    skills.sort((left, right) => rank(left) - rank(right));
    const others = skills.length > 0 ? [] : registry.snapshot.skills;
    const known = others.flatMap(
      ({ manifest }) => manifest.description.toLowerCase().match(/[a-z]{3,}/g) ?? [],
    );
    const meant = words.map((word) => nearestName(word, known) ?? word).join(" ");
    const again = meant === words.join(" ") ? "" : `Did you mean: skillet find ${meant}`;
    const screen = (): readonly string[] => foundLines(skills, sources.length, context.terminal, again);
    return answer(context, { skills, sources, failed }, screen, skills.length > 0 ? 0 : 1);
  });
}

interface Found extends Offer {
  /** Whether it is here already, and whether it may be used. */
  readonly status: string;
}

const anyRef = (source: string): string => source.replace(/^(?![/~.])([^#]*)#[^@]*/, "$1");

function foundLines(skills: readonly Found[], sources: number, layout: Layout, again: string): string[] {
  const { bold, cyan, dim, yellow } = layout.colours;
  const linesOf = ({ name, description, status, from, command }: Found): readonly string[] => [
    ...titleLines([name, status], layout, {
      paintName: bold,
      paint: /^not|,/.test(status) ? yellow : dim,
    }),
    ...(status.startsWith("bundled")
      ? []
      : hang(showPath(from, layout.environment), layout, { indent: 4, paint: dim })),
    ...hang(description.slice(0, 1000), layout, { indent: 4, maxLines: 2 }),
    `    ${cyan(stripControl(command))}`,
  ];
  const found = skills.length === 0 ? "No skill has all these words" : count(skills.length, "skill");
  const where = sources === 0 ? "" : ` or in ${count(sources, "configured source")}`;
  const elsewhere = "Look elsewhere as well: skillet config set hub.sources '[OWNER/REPO]'";
  return [
    ...firstLines(skills, MAX_SHOWN, linesOf, moreInJson(layout, "")),
    ...hang(`${found} on this machine${where}.`, layout),
    ...hang(again, layout),
    ...(sources === 0 ? hang(elsewhere, layout) : []),
  ];
}
