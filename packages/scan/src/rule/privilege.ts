import type { ActOf } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyPath } from "../secret/classify-path.ts";
import { wordLists, wordSet, words } from "../word-list.ts";
import { declares, isDocument } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

type Privilege = ActOf<"privilege">;

export const PR1: Rule = rule("PR1", (book, profile) => [
  ...book.acts("privilege").map((fact) => judge(fact, profile)),
  ...book.acts("run").flatMap((fact) => judgeMounted(fact)),
]);

function judge(place: Privilege, profile: SkillProfile): RuleHit {
  const { act } = place;
  const [severity, what] = JUDGED[act.how];
  const message = `${what}: ${act.detail}`;
  const plain = act.how === "driver" && LAID_DOWN.test(act.detail) ? "critical" : severity;
  const reason = plain === "info" ? undefined : reasonToLower(place, profile);
  if (reason === undefined) return hitAt(place, plain, message);
  return hitAt(place, plain === "critical" ? "warn" : "info", message, reason);
}

/** Keys that are mounted into a container: the program that reads them there is not in any scanned script. */
function judgeMounted(place: ActOf<"run">): readonly RuleHit[] {
  const { act } = place;
  if (!/^(?:docker|podman|nerdctl)$/.test(act.program)) return [];
  return act.arguments.flatMap((argument) => {
    const path = MOUNTED.exec(argument)?.[1] ?? "";
    return KEPT.has(classifyPath(path) ?? "") ? [hitAt(place, "warn", `A container is given ${path}`)] : [];
  });
}

const MOUNTED =
  /^(?:(?:-v|--volume=)?|(?:--mount=)?(?:[^/~$]{0,80},)?(?:source|src)=)([~$/][^:,]{1,200})(?=[:,])/;
const KEPT: ReadonlySet<string> = wordSet("ssh gpg browser wallet keychain password-store cloud kubernetes");

function reasonToLower(place: Privilege, profile: SkillProfile): string | undefined {
  const { how } = place.act;
  if (profile.isSecurityTool && isDocument(place) && place.chain.length === 0)
    return "a skill about attacks shows it";
  if (CONTAINER_DEEDS.has(how) && declares(profile, PURPOSES.containers) !== undefined)
    return "the skill says that it is about containers";
  if (how === "driver" && declares(profile, PURPOSES.drivers) !== undefined)
    return "the skill says that it is about drivers";
  if (how === "shared-access" && declares(profile, ACCESS_WORK) !== undefined)
    return "the skill says that it is about access";
  if (ACCOUNT_DEEDS.has(how)) {
    // Root inside an image is not root on the machine.
    if (/(?:^|[./])(?:docker|container)file\b/i.test(place.file)) return "it is done inside an image";
    if ((how === "account" || how === "login-tunnel") && isDocument(place) && place.chain.length === 0)
      return "a document shows how it is done";
    if (declares(profile, PURPOSES.administration) !== undefined)
      return "the skill says that it is about administration";
  }
  return undefined;
}

// World-writable folders: no vendor installs a driver there, and a loaded driver controls the machine.
const LAID_DOWN =
  /(?:\\|\/)(?:programdata|users(?:\\|\/)public|temp|tmp|appdata|downloads)(?:\\|\/)[^\n]{0,120}\.(?:sys|ko)\b|%(?:temp|tmp|appdata|public|programdata)%[^\n]{0,120}\.sys\b|\/(?:dev\/shm|home\/[^/\n]{1,60})\/[^\n]{0,120}\.ko\b/i;

const CONTAINER_DEEDS: ReadonlySet<string> = wordSet("docker-socket privileged-container container-escape");

const ACCOUNT_DEEDS: ReadonlySet<string> = wordSet("root-for-all sudoers account login-tunnel");

const JUDGED: Readonly<Record<Privilege["act"]["how"], readonly [RuleHit["severity"], string]>> = {
  sudo: ["info", "Runs as root"],
  "open-mode": ["info", "Every user may change a file"],
  setuid: ["warn", "A program gets the rights of its owner"],
  "setuid-shell": ["critical", "A shell or interpreter gets the rights of its owner for everybody"],
  "docker-socket": ["warn", "A container gets the socket that controls all containers"],
  "privileged-container": ["warn", "A container gets the rights of the machine"],
  "container-escape": ["critical", "A container steps out into the machine"],
  "host-mount": ["warn", "A container gets the machine's files"],
  driver: ["warn", "A driver is loaded"],
  sudoers: ["warn", "Who may act as root is changed"],
  "root-for-all": ["critical", "An account may run everything as root from now on"],
  account: ["warn", "An account is added that may act as root"],
  "login-tunnel": ["warn", "The machine's own login is opened at another machine"],
  "shared-access": ["warn", "Somebody else is given access to a repository or an account"],
  capability: ["warn", "A program gets special rights"],
};

/** Words by which skills that manage access to a repository describe themselves. */
export const ACCESS_WORK: readonly string[] = words(`
  collaborator collaborators access permission permissions member members onboarding offboarding invite invitation protection
  ruleset rulesets codeowners governance administration admin
`);

const PURPOSES = wordLists<"drivers" | "administration" | "containers">(`
  drivers driver drivers kernel module modules firmware ebpf
  administration server servers vps devops provision provisioning infrastructure deploy deployment ansible sudo sudoers linux
      administration vm vms raspberry
  containers docker container containers compose podman kubernetes k8s portainer traefik devcontainer sandbox
`);
