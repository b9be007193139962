import type { Program } from "../model/call.ts";
import { named } from "../model/call.ts";
import type { Effect } from "../model/effect.ts";
import { EMPTY, foreignSources, known, UNKNOWN, unknown } from "../model/value.ts";
import { words } from "../table/program-row.ts";
import { runElsewhere, shellArgument } from "./starters.ts";

type Place = Extract<Effect, { type: "persist" }>["where"];

const crontab: Program = ({ words, texts, input }, shell) => {
  if (texts.some((text) => /^-[a-z]*[ler]$/.test(text))) return unknown([], "*\n");
  const file = words.find(
    ({ text }, index) => (!text.startsWith("-") || text === "-") && texts[index - 1] !== "-u",
  );
  const content = file === undefined || file.text === "-" ? (input ?? UNKNOWN) : shell.readFile(file);
  shell.effect({ type: "persist", where: "cron", path: "crontab", text: content.text.slice(0, 4096) });
  for (const command of crontabCommands(content.text)) shell.runText(known(command), "cron");
  shell.flow(foreignSources(content), { type: "execute", how: "file", by: "cron" });
  return EMPTY;
};

const at: Program = ({ program, texts, input }, shell) => {
  if (texts.some((text) => /^-[lrdc]$/.test(text))) return EMPTY;
  if (input === undefined) return EMPTY;
  shell.effect({ type: "persist", where: "cron", path: program, text: input.text.slice(0, 4096) });
  shell.runText(input, program);
  return EMPTY;
};

const systemctl: Program = ({ texts }, shell) => {
  const verb = texts.find((text) => !text.startsWith("-")) ?? "";
  const unit = texts.filter((text) => !text.startsWith("-"))[1] ?? "";
  if (verb === "enable") shell.effect({ type: "persist", where: "systemd", path: unit });
  if (verb === "stop" || verb === "disable" || verb === "mask") {
    const what = protectionOf(unit);
    if (what !== undefined)
      shell.effect({ type: "disable-protection", what, detail: `systemctl ${verb} ${unit}` });
  }
  return EMPTY;
};

/** Which protection a service is. */
function protectionOf(service: string): "firewall" | "antivirus" | "logging" | "sandbox" | undefined {
  if (/^(?:ufw|firewalld|iptables|nftables|pf|mpssvc)(?:\.service)?$/i.test(service)) return "firewall";
  if (
    /clam|falcon|crowdstrike|sophos|sentinel|defender|mdatp|esets?|cbdaemon|bdsec|kaspersky|windefend|msmpeng|xprotect|malwarebytes|avast|avg|osquery|wazuh/i.test(
      service,
    )
  )
    return "antivirus";
  if (/^(?:auditd|rsyslog|syslog|systemd-journald|eventlog)/i.test(service)) return "logging";
  return /^(?:apparmor|selinux)/i.test(service) ? "sandbox" : undefined;
}

const launchctl: Program = ({ texts }, shell) => {
  if (/^(?:load|bootstrap|enable|submit)$/.test(texts[0] ?? ""))
    shell.effect({
      type: "persist",
      where: "launchd",
      path: texts.findLast((text) => /plist|\//.test(text)) ?? texts.at(-1) ?? "",
    });
  const what = /^(?:unload|bootout|disable|remove|stop)$/.test(texts[0] ?? "")
    ? protectionOf(texts.at(-1) ?? "")
    : undefined;
  if (what !== undefined)
    shell.effect({ type: "disable-protection", what, detail: `launchctl ${texts.join(" ")}`.slice(0, 200) });
  return EMPTY;
};

const always =
  (where: Place): Program =>
  ({ program, texts }, shell) => {
    shell.effect({ type: "persist", where, path: `${program} ${texts.join(" ")}`.slice(0, 200) });
    return EMPTY;
  };

/** Programs that make others start by themselves. */
export const PERSISTERS: readonly (readonly [string, Program])[] = [
  ["crontab", crontab],
  ["at", at],
  ["batch", at],
  ["systemctl", systemctl],
  ["launchctl", launchctl],
  ["update-rc.d", always("service")],
  ["chkconfig", always("service")],
  ["rc-update", always("service")],
];

/** The commands of a crontab, without their times. */
export function crontabCommands(text: string): readonly string[] {
  const commands: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length > 4096) continue;
    const match =
      /^\s*(?:@(?:reboot|hourly|daily|weekly|monthly|yearly|annually|midnight)|(?:[\d*,/A-Za-z-]{1,40}\s{1,10}){4}[\d*,/A-Za-z-]{1,40})\s{1,10}(\S.*)$/.exec(
        line,
      );
    if (match?.[1] !== undefined && commands.length < 200) commands.push(match[1].replace(SYSTEM_USER, ""));
  }
  return commands;
}

// The tables below /etc name who runs the command.
const SYSTEM_USER = /^(?:root|nobody|www-data|ubuntu|admin|daemon|\$?USER|\*)\s{1,10}(?=\S)/;

type Protection = Extract<Effect, { type: "disable-protection" }>["what"];

/** Switches a protection off when its arguments look so. */
const disables =
  (what: Protection, pattern: RegExp): Program =>
  ({ program, texts }, shell) => {
    const joined = texts.join(" ").slice(0, 300);
    if (pattern.test(joined))
      shell.effect({ type: "disable-protection", what, detail: `${program} ${joined}`.trim() });
    return UNKNOWN;
  };

const kill: Program = ({ program, texts }, shell) => {
  for (const text of texts) {
    const what = text.startsWith("-") ? undefined : protectionOf(text);
    if (what !== undefined) shell.effect({ type: "disable-protection", what, detail: `${program} ${text}` });
  }
  return EMPTY;
};

const privilege =
  (how: Extract<Effect, { type: "privilege" }>["how"]): Program =>
  ({ program, texts }, shell) => {
    shell.effect({ type: "privilege", how, detail: `${program} ${texts.join(" ")}`.slice(0, 200) });
    return EMPTY;
  };

const miner: Program = ({ program, texts }, shell) => {
  shell.effect({ type: "abuse", what: "miner", detail: `${program} ${texts.join(" ")}`.slice(0, 200) });
  return EMPTY;
};

const MINERS: ReadonlySet<string> = words(
  "xmrig minerd cpuminer cgminer bfgminer ethminer nbminer t-rex lolminer xmr-stak ccminer phoenixminer",
);

/** `setcap cap_setuid+ep python3` gives the rights of root to every user who starts it. */
const capability: Program = (call, shell) => {
  const joined = call.texts.join(" ");
  if (call.texts[0] === "-r") return EMPTY;
  const isRoot = /\bcap_(?:setuid|setgid|sys_admin|dac_override|sys_ptrace)\b|\ball[=+]/i.test(joined);
  const isInterpreter =
    /(?:^|[\s/])(?:(?:ba|z|da|k)?sh|python[\d.]{0,5}|perl|ruby|node|php|vim?|gdb|tar|find)$/.test(joined);
  return privilege(isRoot && isInterpreter ? "setuid-shell" : "capability")(call, shell);
};

const hping: Program = ({ program, texts }, shell) => {
  if (texts.includes("--flood")) shell.effect({ type: "abuse", what: "flood", detail: program });
  return EMPTY;
};

/** Programs that guard a machine, and those that take a machine over. */
export const PROTECTION_TOOLS: readonly (readonly [string, Program])[] = [
  ["xattr", disables("gatekeeper", /com\.apple\.quarantine.*|^-\w*c/)],
  ["spctl", disables("gatekeeper", /--(?:master|global)-disable|--add/)],
  ["csrutil", disables("sandbox", /disable/)],
  ["setenforce", disables("sandbox", /^(?:0|permissive)/i)],
  ["ufw", disables("firewall", /^disable|default allow incoming/)],
  ["iptables", disables("firewall", /^(?:-F|--flush|-P (?:INPUT|OUTPUT|FORWARD) ACCEPT)/)],
  ["pfctl", disables("firewall", /^-d/)],
  ["netsh", disables("firewall", /state off|set opmode disable/i)],
  ["auditctl", disables("logging", /-e 0|-D/)],
  ["add-mppreference", disables("antivirus", /-exclusion/i)],
  ["set-mppreference", disables("antivirus", /-disable\w+ (?:\$?true|1)|-exclusion/i)],
  ["set-netfirewallprofile", disables("firewall", /-enabled (?:\$?false|0)/i)],
  ["wevtutil", disables("logging", /^(?:cl|clear-log)\b/i)],
  ["clear-eventlog", disables("logging", /./)],
  ["clear-history", disables("history", /^/)],
  ["set-executionpolicy", disables("approval", /bypass|unrestricted/i)],
  ["pkill", kill],
  ["killall", kill],
  ["taskkill", kill],
  ["modprobe", privilege("driver")],
  ["setcap", capability],
  ["visudo", privilege("sudoers")],
  ["nsenter", privilege("capability")],
  ...Array.from(MINERS, (name) => [name, miner] as const),
  ["hping3", hping],
];

/** Whether a program by this name mines a cryptocurrency. */
export function isMiner(name: string): boolean {
  return MINERS.has(name);
}

const docker: Program = ({ program, words, texts }, shell) => {
  const joined = texts.join(" ").slice(0, MAX_JOINED_CHARACTERS);
  const detail = `${program} ${joined}`.slice(0, 200);
  const isPrivileged = texts.includes("--privileged") || /--cap-add[= ](?:ALL|SYS_ADMIN)/.test(joined);
  const hasSocket = /docker\.sock/.test(joined);
  const hasHost = ROOT_MOUNT.test(joined) || /--pid[= ]host/.test(joined);
  if ((hasHost && ACTS_ON_HOST.test(joined)) || (isPrivileged && SECRET_MOUNT.test(joined)))
    shell.effect({ type: "privilege", how: "container-escape", detail });
  else {
    if (isPrivileged) shell.effect({ type: "privilege", how: "privileged-container", detail });
    if (hasSocket) shell.effect({ type: "privilege", how: "docker-socket", detail });
    if (hasHost || SYSTEM_MOUNT.test(joined)) shell.effect({ type: "privilege", how: "host-mount", detail });
  }
  if (/^system prune\b.*--volumes|^volume rm\b/.test(joined))
    shell.effect({ type: "destroy", what: "files", detail });
  const inner = shellArgument(words);
  if (inner !== undefined) runElsewhere([inner], program, shell);
  return UNKNOWN;
};

const MAX_JOINED_CHARACTERS = 16 * 1024;
const ROOT_MOUNT = /(?:-v|--volume)[= ]\/:\/|(?:source|src)=\/(?:,|\s|$)/;
const SYSTEM_MOUNT = /(?:-v|--volume)[= ]\/(?:etc|root):/;
// Into the machine's own file tree or processes, or to the files that decide who may log in.
const ACTS_ON_HOST =
  /\b(?:chroot|nsenter)\b|\/etc\/(?:shadow|sudoers|passwd|crontab|cron\.\w{1,20})\b|authorized_keys/;
const SECRET_MOUNT =
  /(?:(?:-v|--volume)[= ]|(?:source|src)=)(?:\/etc\/(?:shadow|sudoers)|(?:\/root|~|\/home\/[\w.-]{1,40})\/\.(?:ssh|aws|gnupg|kube))\b/;

const kubectl: Program = ({ program, words, texts }, shell) => {
  const inner = shellArgument(words);
  if (inner !== undefined) runElsewhere([inner], program, shell);
  if (
    /^delete\b[^|]{0,100}--all\b|^delete (?:ns|namespaces?|pvc?)\b/.test(
      texts.slice(0, 8).join(" ").slice(0, 300),
    )
  )
    shell.effect({
      type: "destroy",
      what: "cloud",
      detail: `${program} ${texts.join(" ").slice(0, 180)}`,
    });
  const joined = texts.slice(0, 8).join(" ");
  return /^(?:get secrets?|config view --raw|create token)/.test(joined)
    ? unknown([{ type: "secret", secret: "kubernetes", name: `${program} ${joined}`.slice(0, 80) }])
    : UNKNOWN;
};

/** Programs that start others in containers. */
export const CONTAINER_TOOLS: readonly (readonly [string, Program])[] = [
  ...named("docker podman nerdctl", docker),
  ...named("kubectl oc k3s lxc incus", kubectl),
];

/** Adds a user, or one to a group; only where that user may then act as root. */
const account: Program = ({ program, texts }, shell) => {
  const joined = `${program} ${texts.join(" ")}`.slice(0, 200);
  // An account with the number of root is root under another name.
  if (/\s(?:-u|--uid)[= ]0(?:\s|$)|\s-\w{0,5}ou 0(?:\s|$)/.test(joined))
    shell.effect({ type: "privilege", how: "root-for-all", detail: joined });
  else if (ROOT_GROUP.test(joined)) shell.effect({ type: "privilege", how: "account", detail: joined });
  return EMPTY;
};

const ROOT_GROUP =
  /\s(?:-\w*[gG]|--groups?|--ingroup)[\s=]{1,5}(?:[\w-]{1,40},){0,8}(?:sudo|wheel|admin|root)\b|^(?:adduser|gpasswd|dseditgroup)\s[^\n]{0,120}\s(?:sudo|wheel|admin|root)$|^net1?\s{1,5}localgroup\s{1,5}administrators\s[^\n]{0,80}\/add/i;

/** Programs that give an account the rights of root. */
export const ACCOUNT_TOOLS: readonly (readonly [string, Program])[] = named(
  "useradd adduser usermod gpasswd dseditgroup net net1",
  account,
);
