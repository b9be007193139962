import { isPublicIndex } from "../analyse/data/read-dependencies.ts";
import type { Act } from "../fact/act.ts";
import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { judgeDestination } from "./judge-destination.ts";

type InstallPackage = Extract<Act, { readonly type: "install-package" }>;
type Judgement = Pick<RuleHit, "severity" | "message" | "demoted">;

/** Judges a package by where it comes from: a package runs code as it is installed. */
export function judgePackageOrigin(place: FactPlace, act: InstallPackage, profile: SkillProfile): Judgement {
  if (act.from === "index") return judgeIndex(act, profile);
  if (act.from === "url" || act.from === "git") return judgeAddress(place, act, profile);
  return {
    severity: "info",
    message: `${act.manager} installs ${act.pinned ? "" : "unpinned "}packages such as ${act.name}.`,
  };
}

function judgeIndex({ manager, url = "" }: InstallPackage, profile: SkillProfile): Judgement {
  const message = `${manager} takes packages from ${url}, which is not the public index.`;
  // `-c conda-forge` names a channel of the public index.
  if (isPublicIndex(url) || !/[.:]/.test(url)) {
    return { severity: "info", message: `${manager} takes packages from ${url}.` };
  }
  const destination = judgeDestination(url, profile);
  switch (destination) {
    case "local":
    case "placeholder":
      return { severity: "info", message, demoted: "the index is local or a placeholder" };
    case "known":
      return { severity: "info", message, demoted: "the index belongs to a well-known vendor" };
    case "throwaway":
      return { severity: "critical", message: `${message} Anybody can open one there.` };
    default:
      return { severity: "warn", message };
  }
}

function judgeAddress(
  { medium }: FactPlace,
  { manager, name, from, pinned, url = "" }: InstallPackage,
  profile: SkillProfile,
): Judgement {
  const plain = `${manager} installs ${name} from a repository or address.`;
  if (/^(?:github:|[\w.-]+\/[\w.-]+(?:#|$))/.test(url)) return { severity: "info", message: plain };
  const destination = url === "" ? "unknown" : judgeDestination(url, profile);
  const message = `${manager} installs ${name} from ${url}`;
  if (destination === "throwaway") {
    // Nobody looks at an archive that a package manager unpacks and runs.
    return { severity: from === "url" && !pinned ? "critical" : "warn", message: `${message}.` };
  }
  if (pinned || destination === "local" || destination === "placeholder" || destination === "unknown") {
    return { severity: "info", message: plain };
  }
  if (destination === "known") {
    const isPlain = from === "git" || DOCUMENTED.has(medium) || classifyHost(url) !== "code-host";
    return isPlain
      ? { severity: "info", message: plain }
      : { severity: "warn", message: `${message}, pinned to nothing.` };
  }
  const isStrange = destination === "foreign" && from === "url" && !isOwnHost(url);
  return {
    severity: isStrange ? "critical" : "warn",
    message: `${message}, pinned to nothing${isStrange ? ", a host that has nothing to do with it" : ""}.`,
  };
}

const DOCUMENTED: ReadonlySet<FactPlace["medium"]> = new Set([
  "prose",
  "list",
  "table",
  "quote",
  "fence",
  "inline-code",
]);

/** Whether the file on a host bears the host's name, as releases on a project's own site do. */
function isOwnHost(url: string): boolean {
  const host = hostOf(url) ?? "";
  if (OWN_SITES.has(host)) return true;
  const label = (registeredDomain(host).split(".")[0] ?? "").replaceAll("-", "").toLowerCase();
  const file = url.slice(url.lastIndexOf("/") + 1).toLowerCase();
  return label.length > 2 && file.replaceAll(/[-_]/g, "").includes(label);
}

/** Projects that publish on their own site under another name. */
const OWN_SITES: ReadonlySet<string> = new Set(["cdn.sheetjs.com", "download.pytorch.org", "data.pyg.org"]);
