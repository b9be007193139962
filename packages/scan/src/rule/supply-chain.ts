import { isContainerHook } from "../analyse/data/read-commands.ts";
import type { ActFact, FactBook, FactPlace, FlowFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost, isNearHost } from "../host/classify-host.ts";
import { isKnownInstaller } from "../host/is-known-installer.ts";
import { distinct, wordSet } from "../word-list.ts";
import { judgePackageOrigin, typosquatOf } from "./judge-package-origin.ts";
import { rule } from "./rule-texts.ts";

export const SC1: Rule = rule("SC1", (facts, profile) => [
  ...findHooks(facts),
  ...findOrigins(facts, profile),
]);

export const SC2: Rule = rule("SC2", findDirectives);

export const SC3: Rule = rule("SC3", findTyposquats);

function findHooks(facts: FactBook): RuleHit[] {
  const hooks = facts.acts("install-hook");
  const attacks =
    hooks.length === 0 ? [] : [...facts.of("flow").filter(isAttack), ...facts.acts("remote-shell")];
  return hooks.map((fact): RuleHit => {
    const { hook, command } = fact.act;
    const payload = payloadOf(attacks.slice(0, MAX_ATTACKS), fact, command);
    if (payload !== undefined) {
      const message = `The hook ${hook} downloads and runs something, opens a shell or sends secrets away.`;
      return { ...hitAt(fact, "critical", message), related: [payload] };
    }
    const demoted = reasonForHook(fact, hook, command);
    const severity = demoted === undefined ? "warn" : "info";
    return hitAt(fact, severity, `The hook ${hook} runs a command on installation.`, demoted);
  });
}

function reasonForHook({ file, medium }: ActFact, hook: string, command: string): string | undefined {
  if (AUTHORS_HOOKS.has(hook)) return "it runs for the package's authors";
  if (isContainerHook(hook)) return "it runs inside the container";
  if (ORDINARY_HOOK.test(command) || HARMLESS_HOOK.test(command)) return "it is an ordinary build step";
  if (NPM_HOOK.test(hook) && (medium !== "config" || !/(?:^|\/)package\.json$/i.test(file)))
    return "no package manager reads a file of this name";
  return undefined;
}

const NPM_HOOK = /^(?:pre|post)?install$/;
/** A sequence of tests and commands that create empty files or folders. */
const HARMLESS_HOOK =
  /^(?:(?:test|\[|touch|mkdir|echo|true|exit) ?[^;&|`$()<>]{0,200}(?:\$HOME[^;&|`$()<>]{0,200})?(?:$| ?(?:&&|\|\||;) ?)){1,6}$/;

/** Not run if the package is only installed. */
const AUTHORS_HOOKS: ReadonlySet<string> = wordSet("preprepare prepare postprepare prepublish dependencies");
const ORDINARY_HOOK =
  /^(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:build|compile|prepare)[\w:-]*|husky(?: install)?|npx husky(?: install)?|is-ci \|\| husky|lefthook install|simple-git-hooks|patch-package|node-gyp rebuild|node-gyp-build|prebuild-install[^;&|]*|tsc[^;&|]*|(?:npx )?prisma generate|(?:npx )?playwright install[^;&|]*|electron-builder install-app-deps|nuxt prepare|svelte-kit sync|ngcc|(?:npm|pnpm|yarn|bun) (?:ci|install|i)|pip install -r [\w./-]+|pip install -e \.|uv sync|poetry install|true|exit 0|echo [^;&|`$]*)(?: (?:&& |\|\| )?(?:true|exit 0))?$/;

function payloadOf(attacks: readonly FactPlace[], hook: ActFact, command: string): FactPlace | undefined {
  return attacks.find(({ file, line }) =>
    file === hook.file ? line === hook.line : namesFile(command, file),
  );
}

// One is enough; a skill full of them is not searched for each of a thousand hooks.
const MAX_ATTACKS = 500;

function isAttack({ sources, sink }: FlowFact): boolean {
  if (sink.type === "execute") return sources.some(isUnreviewed);
  if (sink.type !== "network" || (sink.host !== undefined && isNearHost(sink.host))) return false;
  return sources.some(({ type }) => type === "secret" || type === "capture");
}

function isUnreviewed(source: FlowFact["sources"][number]): boolean {
  if (source.type === "decoded") return true;
  if (source.type !== "network") return false;
  const kind = classifyHost(source.url ?? source.host ?? "");
  return kind !== "loopback" && kind !== "private" && kind !== "known-vendor" && kind !== "package-registry";
}

function findOrigins(facts: FactBook, profile: SkillProfile): RuleHit[] {
  const hits = facts
    .acts("install-package")
    .map((fact) => ({ place: fact, ...judgePackageOrigin(fact, fact.act, profile, facts) }));
  const notes = hits.filter(({ severity }) => severity === "info");
  // One note per file: a list of every dependency helps nobody.
  const told = new Set<RuleHit>(distinct(notes, ({ place }) => place.file));
  return hits.filter((hit) => hit.severity !== "info" || told.has(hit));
}

function findDirectives(facts: FactBook, profile: SkillProfile): RuleHit[] {
  return facts
    .of("declaration")
    .filter(({ what, value }) => what === "install" && !value.startsWith("download with checksum"))
    .map((fact) => {
      const isShell = fact.value.startsWith("shell");
      const how = isShell ? "runs a shell command" : "downloads without a checksum";
      const demoted = isShell ? reasonForShell(fact.value) : reasonForDownload(fact.value, profile);
      const severity = demoted === undefined ? "warn" : "info";
      return hitAt(fact, severity, `An install directive of the header ${how}.`, demoted);
    });
}

function reasonForShell(value: string): string | undefined {
  if (isOrdinaryInstall(value)) return "it asks a package manager, or runs a file of the skill";
  const addresses = value.match(/https?:\/\/[^\s"'`)|;]{1,500}/g) ?? [];
  return addresses.length > 0 && addresses.every(isKnownInstaller)
    ? "the address is the published installer of a well-known tool"
    : undefined;
}

function reasonForDownload(value: string, { name }: SkillProfile): string | undefined {
  const url = value.slice(value.indexOf(": ") + 2);
  const repository =
    /^https:\/\/(?:(?:github|gitlab)\.com|raw\.githubusercontent\.com)\/[\w.-]+\/([\w.-]+)/.exec(url)?.[1];
  return repository !== undefined && name.length > 2 && repository.toLowerCase().includes(name.toLowerCase())
    ? "it comes from the project that the skill is about"
    : undefined;
}

/** Whether each step installs packages, prepares a folder or starts a file of the skill (also scanned). */
function isOrdinaryInstall(value: string): boolean {
  const command = value.slice(value.indexOf(": ") + 2, MAX_DIRECTIVE_CHARACTERS);
  const steps = command.split(/&&|;|\n/).map((step) => step.trim());
  return steps.every((step) => step === "" || ORDINARY_STEP.test(step));
}

const MAX_DIRECTIVE_CHARACTERS = 2_000;
const ORDINARY_STEP =
  /^(?:#.*|cd [\w"'$./{}~-]+|(?:sudo )?(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|uv tool|uv pip|brew|apt|apt-get|cargo|go|gem|winget|choco|scoop|poetry|pacman|dnf|yum|apk|python3? -m pipx?) (?:install|add|i|ci|sync|tap|-S)(?: (?:[\w@./=~^<>"'[\]-]+|(?:git\+)?https:\/\/github\.com\/[\w./-]+))*|(?:npm|pnpm|yarn|bun)(?: run)? build|git clone https:\/\/github\.com\/[\w./-]+(?: [\w./~$-]+)?|(?:uv|python3? -m) venv(?: [\w./-]+)?|(?:source|\.) [\w./-]+\/activate|(?:chmod|mkdir) [-\w+]+(?: [\w"'$./{}~-]+)*|(?:python3?|node|bash|sh) (?!\/|~|-)[\w"'${}./-]+(?: --?[\w-]+)*|(?:\.\/)[\w./-]+)$/;

function findTyposquats(facts: FactBook): RuleHit[] {
  return facts.acts("install-package").flatMap((fact) => {
    const { manager, name, from } = fact.act;
    const meant = from === "registry" || from === "runner" ? typosquatOf(manager, name) : undefined;
    const message = `${name} is nearly ${meant}, a well-known package of ${manager}.`;
    return meant === undefined ? [] : [hitAt(fact, "warn", message)];
  });
}

/** Whether a command or an instruction names a file of the skill: `node ./scripts/setup.js`, `python3 -m scripts.setup`. */
function namesFile(text: string, file: string): boolean {
  const base = file.slice(file.lastIndexOf("/") + 1);
  if (base.length < 3) return false;
  for (let at = text.indexOf(base); at !== -1; at = text.indexOf(base, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + base.length);
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  const stem = file.replace(/\.[^./]{1,5}$/, "");
  return stem !== file && (text.includes(`./${stem}`) || text.includes(`-m ${stem.replaceAll("/", ".")}`));
}
