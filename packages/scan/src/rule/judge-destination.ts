import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import type { SkillProfile } from "./skill-profile.ts";

/**
 * How a destination stands to a skill: on this machine, its own declared home or namesake, a vendor that everybody knows,
 * nobody's in particular, a place that anybody can open for an hour, one that stands for another in documentation, or not
 * known before it runs.
 */
export type Destination = "local" | "own" | "known" | "foreign" | "throwaway" | "placeholder" | "unknown";

/** Judges where data goes, or where it is fetched from, by the skill's own word and what kind of host it is. */
export function judgeDestination(urlOrHost: string | undefined, profile: SkillProfile): Destination {
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
      return isOwn(urlOrHost, profile) ? "own" : "throwaway";
    case "unrelated":
      return isOwn(urlOrHost, profile) ? "own" : "foreign";
  }
}

function isOwn(urlOrHost: string, profile: SkillProfile): boolean {
  const host = hostOf(urlOrHost) ?? "";
  const domain = registeredDomain(host);
  if (profile.declaredHosts.has(host) || profile.declaredHosts.has(domain)) return true;
  return isNamesake(host, profile);
}

/** Whether the registered label of a host is a word of the skill's name or description: `weatherkit` and api.weatherkit.test. */
function isNamesake(host: string, { name, words }: SkillProfile): boolean {
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
