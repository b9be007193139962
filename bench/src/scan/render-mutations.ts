import type { Mutation } from "../../../packages/scan/src/testing/mutations/run-mutations.ts";
import { renderTable } from "../report/render-table.ts";
import { formatRate, rateOf } from "./rate.ts";

/** What a scan says of an attack in a disguise, as far as the table shows it. */
export type JudgedMutation = Pick<Mutation, "kind" | "attack" | "disguise" | "verdict" | "rules">;

const PLAIN = "(plain)";

/** How much of each kind of attack is caught in each disguise, the share overall, and what was missed. */
export function renderMutations(mutations: readonly JudgedMutation[]): string {
  const groups = groupAll(mutations);
  const rows = Array.from(groups, ([key, members]) => {
    const [kind = "", disguise = ""] = key.split("\0");
    return [kind, disguise, String(members.length), ...caught(members)];
  });
  const disguised = mutations.filter(({ disguise }) => disguise !== "");
  const plain = mutations.filter(({ disguise }) => disguise === "");
  const missed = mutations.filter(({ verdict }) => verdict !== "dangerous");
  return [
    renderTable([["attack", "disguise", "n", "dangerous", "caution or worse"], ...rows]),
    "",
    renderTable([
      ["", "n", "dangerous", "caution or worse"],
      ["plain attacks", String(plain.length), ...shares(plain)],
      ["disguised", String(disguised.length), ...shares(disguised)],
    ]),
    "",
    `Missed at dangerous (${missed.length})`,
    ...missed.map(
      ({ kind, attack, disguise, verdict, rules }) =>
        `  ${verdict.padEnd(8)}  ${kind.padEnd(10)}  ${attack}, ${disguise || PLAIN}  ${rules.join(" ") || "-"}`,
    ),
  ].join("\n");
}

function groupAll(mutations: readonly JudgedMutation[]): ReadonlyMap<string, readonly JudgedMutation[]> {
  const groups = new Map<string, JudgedMutation[]>();
  for (const mutation of mutations) {
    const key = `${mutation.kind}\0${mutation.disguise || PLAIN}`;
    const members = groups.get(key) ?? [];
    members.push(mutation);
    groups.set(key, members);
  }
  return groups;
}

function caught(mutations: readonly JudgedMutation[]): [dangerous: string, caution: string] {
  return [String(dangerousOf(mutations)), String(flaggedOf(mutations))];
}

function shares(mutations: readonly JudgedMutation[]): [dangerous: string, caution: string] {
  const share = (hits: number): string => formatRate(rateOf(hits, mutations.length));
  return [share(dangerousOf(mutations)), share(flaggedOf(mutations))];
}

function dangerousOf(mutations: readonly JudgedMutation[]): number {
  return mutations.filter(({ verdict }) => verdict === "dangerous").length;
}

function flaggedOf(mutations: readonly JudgedMutation[]): number {
  return mutations.filter(({ verdict }) => verdict !== "safe").length;
}
