import type { DataSource } from "../fact/data-source.ts";
import type { ActFact, FactPlace, FlowFact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { hostOf } from "../host/classify-host.ts";
import { addressOf } from "../prose/find-flows.ts";
import { isSequence } from "../prose/meaning.ts";
import { StandingProcedures } from "../prose/standing-procedures.ts";
import { placesOf, readStatements } from "../prose/statements.ts";
import { words } from "../word-list.ts";
import { isDocument } from "./is-teaching.ts";
import { judgeDestination } from "./judge-destination.ts";

/**
 * Finds duties that the skill's purpose does not ask for: after every task something is uploaded to a host that nothing
 * else in the skill has to do with, or files are deleted that nobody named.
 */
export function standingDutyHits(facts: FactBook, profile: SkillProfile): readonly RuleHit[] {
  const uploads = [...facts.of("flow").flatMap(uploadOf), ...saidUploads(facts)];
  const deletions = facts.of("act").filter(isBlindDeletion);
  if (uploads.length === 0 && deletions.length === 0) return [];
  const procedures = new StandingProcedures(facts);
  const mentions = countMentions(facts);
  return [
    ...uploads.flatMap((upload) => judgeUpload(upload, procedures, mentions, profile)),
    ...deletions.flatMap((act) => judgeDeletion(act, procedures, profile)),
  ];
}

interface Upload {
  readonly place: FactPlace;
  readonly address: string;
  /** Plain words are of weight only where they take something private. */
  readonly isSaid: boolean;
}

function uploadOf(flow: FlowFact): readonly Upload[] {
  const { sink, sources, stance } = flow;
  if (stance !== "live" || sink.type !== "network") return [];
  const address = sink.url ?? sink.host;
  const isData = sources.some(({ type }) => DATA.has(type));
  return isData && address !== undefined ? [{ place: flow, address, isSaid: false }] : [];
}

const DATA: ReadonlySet<DataSource["type"]> = new Set(["file", "input", "system", "capture"]);

/** `Upload notes.txt to https://…`, without a command. */
function saidUploads(facts: FactBook): readonly Upload[] {
  const statements = readStatements(facts);
  return placesOf(facts, ["address"]).flatMap((place): readonly Upload[] => {
    const statement = statements[place];
    if (statement === undefined || statement.clause.stance !== "live") return [];
    if (!isSequence(statement.meaning, 8, "transfer_verb", "address")) return [];
    const address = addressOf(statement);
    return address === undefined ? [] : [{ place: statement.clause, address, isSaid: true }];
  });
}

function judgeUpload(
  { place, address, isSaid }: Upload,
  procedures: StandingProcedures,
  mentions: ReadonlyMap<string, number>,
  profile: SkillProfile,
): readonly RuleHit[] {
  const destination = judgeDestination(address, profile);
  if (destination !== "throwaway" && destination !== "foreign") return [];
  const host = hostOf(address) ?? "";
  // A host that the skill speaks of again and again is what the skill is about.
  if ((mentions.get(host) ?? 0) > MAX_MENTIONS) return [];
  const { duty, privacy } = procedures.of(place);
  const isPrivate = privacy !== undefined && !isPurpose(privacy.clause.text, profile);
  if (!isPrivate && (duty === undefined || isSaid)) return [];
  if (duty === undefined && !isDocument(place)) return [];
  const cause = duty ?? privacy;
  return [
    {
      severity: isPrivate || destination === "throwaway" ? "critical" : "warn",
      place,
      message: isPrivate
        ? `Something private to the user goes to ${host}, which nothing else in the skill has to do with`
        : `A standing duty sends data to ${host}, which nothing else in the skill has to do with`,
      ...(cause !== undefined && { related: [cause.clause] }),
    },
  ];
}

const MAX_MENTIONS = 3;

function countMentions(facts: FactBook): ReadonlyMap<string, number> {
  const mentions = new Map<string, number>();
  for (const { url } of facts.of("link")) {
    const host = hostOf(url);
    if (host !== undefined) mentions.set(host, (mentions.get(host) ?? 0) + 1);
  }
  return mentions;
}

/** Whether the skill says that it is about the thing: a map skill may ask for the location. A heading is no such word. */
function isPurpose(text: string, { name, description }: SkillProfile): boolean {
  const purpose = `${name} ${description}`.toLowerCase();
  return PRIVATE_WORDS.some((word) => text.includes(word) && purpose.includes(word));
}

const PRIVATE_WORDS: readonly string[] = words(`
  location geolocation gps coordinates clipboard screenshot screenshots screen history contacts algorithm
  algorithms code conversation conversations 位置 剪贴板 联系人
`);

/** A deletion of what a command finds, or of what lies outside the folder that the skill works in. */
function isBlindDeletion({ act, stance, medium }: ActFact): boolean {
  return (
    act.type === "run" &&
    act.program === "rm" &&
    stance === "live" &&
    (medium === "fence" || medium === "inline-code") &&
    act.arguments.some((argument) => BLIND.test(argument))
  );
}

const BLIND = /^(?:\.\.\/[^ ]{0,40}\*|\$\(|`|\*$)/;

function judgeDeletion(
  act: ActFact,
  procedures: StandingProcedures,
  profile: SkillProfile,
): readonly RuleHit[] {
  const { duty } = procedures.of(act);
  if (duty === undefined || CLEANING.test(`${profile.name} ${profile.description}`)) return [];
  return [
    {
      severity: "critical",
      place: act,
      message: "A standing duty deletes files that nobody named",
      related: [duty.clause],
    },
  ];
}

const CLEANING = /clean|delet|purge|remov|disk|清理|удал|очист/i;
