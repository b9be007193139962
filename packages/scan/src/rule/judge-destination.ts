import type { FactPlace } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { wordsFor } from "./declares.ts";

/**
 * How a destination stands to a skill: on this machine, its own declared home or namesake, a vendor that everybody knows,
 * nobody's in particular, a place that anybody can open for an hour, one that stands for another in documentation, or not
 * known before it runs.
 */
export type Destination = "local" | "own" | "known" | "foreign" | "throwaway" | "placeholder" | "unknown";

/** Judges where data goes, or where it is fetched from, by the skill's own word, as far as it holds at a place, and what kind of host it is. */
export function judgeDestination(
  urlOrHost: string | undefined,
  profile: SkillProfile,
  place?: FactPlace,
): Destination {
  if (urlOrHost === undefined || urlOrHost === "") return "unknown";
  const kind = classifyHost(urlOrHost);
  switch (kind) {
    case "loopback":
    case "private":
      return "local";
    case "placeholder":
      return "placeholder";
    case "unknown":
      return "unknown";
    case "raw-address":
    case "paste":
    case "shortener":
    case "tunnel":
    case "collector":
    case "webhook":
    case "file-sharing":
      return "throwaway";
    case "known-vendor":
    case "package-registry":
    case "code-host":
      return "known";
    case "free-hosting":
      return isOwn(urlOrHost, profile, place) ? "own" : "throwaway";
    case "unrelated":
      return isOwn(urlOrHost, profile, place) ? "own" : "foreign";
  }
}

function isOwn(urlOrHost: string, profile: SkillProfile, place: FactPlace | undefined): boolean {
  const host = hostOf(urlOrHost) ?? "";
  const domain = registeredDomain(host);
  if (profile.declaredHosts.has(host) || profile.declaredHosts.has(domain)) return true;
  return isNamesake(host, profile.name, wordsFor(place, profile)) || isCompoundNamesake(domain, profile);
}

/** Whether the registered label of a host is a word of the skill's name or description: `weatherkit` and api.weatherkit.test. */
function isNamesake(host: string, name: string, words: ReadonlySet<string>): boolean {
  const label = (registeredDomain(host).split(".")[0] ?? "").toLowerCase();
  if (label.length < 3) return words.has(registeredDomain(host).replace(".", ""));
  const squeezed = label.replaceAll("-", "");
  if (words.has(label) || words.has(squeezed)) return true;
  return (
    squeezed.length >= MIN_NAME_CHARACTERS &&
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "")
      .includes(squeezed)
  );
}

const MIN_NAME_CHARACTERS = 4;

/** `OakLeaf Radio` and oakleafradio.test: several words of the name or the description, one after the other, are the label. */
function isCompoundNamesake(domain: string, profile: SkillProfile): boolean {
  const label = (domain.split(".")[0] ?? "").toLowerCase().replaceAll("-", "");
  if (label.length < MIN_COMPOUND_CHARACTERS) return false;
  const words = wordsInOrder(profile);
  return words.some((word, index) => {
    if (!label.startsWith(word)) return false;
    let joined = word;
    for (let next = index + 1; next < words.length && joined.length < label.length; next++)
      joined += words[next] ?? "";
    return joined === label;
  });
}

function wordsInOrder(profile: SkillProfile): readonly string[] {
  let words = ORDERED.get(profile);
  if (words === undefined) {
    words = `${profile.name} ${profile.description}`.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
    ORDERED.set(profile, words);
  }
  return words;
}

const ORDERED = new WeakMap<SkillProfile, readonly string[]>();
const MIN_COMPOUND_CHARACTERS = 7;
