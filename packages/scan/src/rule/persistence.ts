import type { ActOf, FactBook, FlowInto } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { hostOf } from "../host/classify-host.ts";
import { startupPath } from "../secret/classify-path.ts";
import { wordLists } from "../word-list.ts";
import { findPayload } from "./find-payload.ts";
import { declares, isDocument } from "./is-teaching.ts";
import { isStranger, judgeDestination } from "./judge-destination.ts";
import { judgeDownload } from "./judge-download.ts";
import { rule } from "./rule-texts.ts";

type Persistence = ActOf<"persist">;

export const PE1: Rule = rule("PE1", (book, profile) => [
  ...book.acts("persist").map((fact) => judgeFetched(fact, book, profile) ?? judge(fact, profile)),
  ...book.flowsInto("write").flatMap((flow) => judgeWritten(flow, profile)),
]);

function judge(place: Persistence, profile: SkillProfile): RuleHit {
  const { act } = place;
  const message = act.path === "*" ? MESSAGES[act.where] : `${MESSAGES[act.where]}: ${act.path}`;
  const payload = act.text === undefined ? undefined : findPayload(act.text, profile);
  if (payload !== undefined) return hitAt(place, "critical", `${message}, and what it starts ${payload}`);
  if (act.where === "authorized-keys") return judgeKeys(place, act.text ?? "", message, profile);
  if (act.where === "shell-startup" && SHADOWING.test(act.text ?? ""))
    return hitAt(place, "critical", `${message}, and what asks for a password is replaced`);
  // It enables what a package installed, or loads a service that exists already.
  if (act.text === undefined && act.where !== "registry-run")
    return hitAt(place, "info", message, "it enables something that is installed already");
  if (act.where === "shell-startup" && isHarmlessProfileText(act.text ?? ""))
    return hitAt(place, "info", message, "it only sets variables, aliases or completions");
  const stranger = act.text?.match(ADDRESS)?.find((address) => isStranger(address, profile));
  if (stranger !== undefined) return hitAt(place, "warn", `${message}, and it calls ${hostOf(stranger)}`);
  const purpose = declares(profile, PURPOSES[act.where]);
  if (purpose !== undefined)
    return hitAt(place, "info", message, `the skill says that it is about ${purpose}`);
  return hitAt(place, "warn", message);
}

// Who may log in is the user's decision; a script that changes it lets an outsider in.
function judgeKeys(place: Persistence, text: string, message: string, profile: SkillProfile): RuleHit {
  const isPurpose = declares(profile, PURPOSES["authorized-keys"]) !== undefined;
  const isGrave = isForeignKey(text, profile) || (!isDocument(place) && !isPurpose);
  return isGrave
    ? hitAt(place, "critical", `${message}: a key of somebody else's may log in from now on`)
    : hitAt(place, "warn", message);
}

const ADDRESS = /https?:\/\/[^\s"'|)>`]{3,200}/g;
const SHADOWING = /^\s*alias\s+(?:sudo|su|ssh|passwd|gpg|doas)=["']?(?:~|\/|\$HOME|\.)/m;

// A truncated key still means that one is to be written; a skill about servers may show what a key looks like.
function isForeignKey(text: string, profile: SkillProfile): boolean {
  const body = /(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3})\s{1,5}AAAA([A-Za-z0-9+/]{0,80})/.exec(
    text,
  )?.[1];
  if (body === undefined) return false;
  return body.length >= (declares(profile, PURPOSES["authorized-keys"]) === undefined ? 16 : 40);
}

/** A job that starts a file fetched by the same script: the download runs again and again, unseen. */
function judgeFetched(place: Persistence, book: FactBook, profile: SkillProfile): RuleHit | undefined {
  const { act } = place;
  for (const { act: fetch, file } of act.text === undefined ? [] : book.acts("fetch")) {
    const { to = "", url } = fetch;
    if (file !== place.file || to.length < 4 || !act.text?.includes(to)) continue;
    const destination = judgeDestination(url, profile);
    const isStrange = destination === "throwaway" || destination === "foreign" || /^http:/i.test(url);
    if (!isStrange || destination === "local") continue;
    const message = `${MESSAGES[act.where]}: ${act.path}, and what it starts was fetched from ${fetch.host}`;
    return hitAt(place, "critical", message);
  }
  return undefined;
}

// `curl … > ~/.zshrc` runs the download at the next start.
function judgeWritten(flow: FlowInto<"write">, profile: SkillProfile): readonly RuleHit[] {
  const { sink } = flow;
  if (startupPath(sink.path) === undefined) return [];
  return flow.sources.flatMap((source): RuleHit[] => {
    if (source.type === "decoded")
      return [hitAt(flow, "critical", `A decoded text is written to ${sink.path}, which is run by itself`)];
    if (source.type !== "network") return [];
    const { severity, reason, demoted } = judgeDownload(flow, source, profile);
    const message = `What ${source.host ?? "an address that is not known"} sends is written to ${sink.path}, which is run by itself${reason}`;
    return [hitAt(flow, severity, message, demoted)];
  });
}

const MESSAGES: Readonly<Record<Persistence["act"]["where"], string>> = {
  cron: "A job is scheduled",
  launchd: "A launch agent is installed",
  systemd: "A service is installed",
  "shell-startup": "A shell's start file is changed",
  "git-hook": "A git hook is installed",
  "editor-hook": "An editor runs something by itself",
  "agent-hook": "An agent's hook is installed",
  "python-startup": "Python runs something at every start",
  "login-item": "Something starts at login",
  "registry-run": "Something starts with Windows",
  "authorized-keys": "The accepted ssh keys are changed",
  service: "A service is installed",
};

const SCHEDULE = `cron crontab schedule schedules scheduled scheduler scheduling periodic periodically daily hourly
      nightly weekly recurring reminder reminders automation automate jobs timer heartbeat backup backups monitor
      monitoring 自动 定时`;
const SERVICE = `${SCHEDULE} daemon service services systemd launchd background server startup autostart boot deploy
      deployment hosted hosting vps devops linux gateway watchdog tunnel vpn proxy`;
// What users who install such a skill expect it to do.
const PURPOSES = wordLists<Persistence["act"]["where"]>(`
  cron ${SCHEDULE}
  launchd ${SERVICE}
  systemd ${SERVICE}
  service ${SERVICE} driver drivers kernel
  login-item ${SERVICE}
  registry-run autostart startup
  shell-startup shell bash zsh fish dotfiles terminal alias aliases prompt completion environment profile
  git-hook hook hooks git commit commits husky lint pre
  editor-hook editor vscode vim neovim emacs ide tasks
  agent-hook hook hooks plugin plugins
  python-startup pth sitecustomize
  authorized-keys ssh server vps devops deploy deployment provision provisioning infrastructure
`);

/** Whether a text adds only variables, aliases, completions or a tool's own hook to a shell's start file. */
export function isHarmlessProfileText(text: string): boolean {
  if (text.length >= MAX_CHARACTERS) return false;
  return text
    .split("\n")
    .every(
      (line) =>
        line.trim() === "" ||
        line.trim() === "*" ||
        (HARMLESS.test(line) && !TELLING.test(line) && !shadows(line)),
    );
}

/** Whether an alias replaces a program that users trust with keys or confirmations. */
function shadows(line: string): boolean {
  const alias = /^\s*alias\s+([\w.-]{1,60})=["']?([^\n]{0,1000})$/.exec(line);
  if (alias?.[1] === undefined || alias[2] === undefined || !TRUSTED.test(alias[1])) return false;
  return /[;|&`]|\$\(|^(?:~|\/|\$HOME|\.)|^(?:ba|z|da)?sh\s|--dangerously|--yolo|skip-permissions/.test(
    alias[2],
  );
}

const TRUSTED =
  /^(?:npm|npx|pnpm|yarn|bun|node|pip3?|python3?|uv|cargo|curl|wget|claude|codex|gemini|cursor|opencode|aws|gcloud|kubectl|terraform|op|pass)$/;

// A longer text was truncated, and the rest is not known.
const MAX_CHARACTERS = 64 * 1024;

const HARMLESS =
  /^\s*(?:#|(?:export\s+)?[A-Za-z_]\w*=|set\s+-g?x|fish_add_path|path\+=|alias\s+[\w.-]+=|eval\s+"?\$\([\w./~"$-]+\s+(?:init|hook|env|shellenv|completions?|activate|prefix)\b|source\s+<\([\w-]+\s+completion|(?:source|\.)\s+["'~$./\w{}-]+$|\[+\s.{0,120}\]+\s*&&\s*(?:source|\.|\\\.)\s|autoload|compinit|setopt|if\s|fi\b|else\b|then\b|complete\s|bindkey|plugins=|zstyle|unset\s)/;

// Variables that reveal what a user types, loads or sends, or that shadow a program which asks for a password.
const TELLING =
  /\b(?:PROMPT_COMMAND|LD_PRELOAD|DYLD_INSERT_LIBRARIES|BASH_ENV|\w*_BASE_URL|https?_proxy|HTTPS?_PROXY|ALL_PROXY|NODE_OPTIONS|PYTHONSTARTUP)=|alias\s+(?:sudo|su|ssh|git|docker|gpg|passwd|scp)=|\b(?:curl|wget|nc|base64|eval\s+"?\$\((?:curl|wget))\b|(?:source|\.)\s+\S{0,200}(?:\/tmp\/|\.cache\/|\/\.[^/\s]{1,60}\/\.[^/\s]{1,60}["']?$)/;
