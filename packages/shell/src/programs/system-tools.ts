import type { Program, QuietProgram } from "../model/call.ts";
import type { Privilege } from "../model/effect.ts";
import { EMPTY, foreignSources, known, sourcesOf, UNKNOWN, unknown, type Value } from "../model/value.ts";
import type { Column } from "../table/program-row.ts";
import { WHOLE_ENVIRONMENT } from "./builtins.ts";
import { runElsewhere, shellArgument } from "./starters.ts";
import { noteUnknownWay, SERVED } from "./unknown-way.ts";

const crontab: Program = (call, shell) => {
  if (call.has(/^-[a-z]*[ler]$/)) return unknown([], "*\n");
  const { texts } = call;
  const file = call.words.find(
    ({ text }, index) => (!text.startsWith("-") || text === "-") && texts[index - 1] !== "-u",
  );
  const content = call.read(file, shell);
  shell.effect({ type: "persist", where: "cron", path: "crontab", text: content.text.slice(0, 4096) });
  for (const command of crontabCommands(content.text)) shell.runText(known(command), "cron");
  shell.flow(foreignSources(content), { type: "execute", how: "file", by: "cron" });
  return EMPTY;
};

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

// The tables below /etc name the user who runs the command.
const SYSTEM_USER = /^(?:root|nobody|www-data|ubuntu|admin|daemon|\$?USER|\*)\s{1,10}(?=\S)/;

const at: QuietProgram = (call, shell) => {
  const { program, input } = call;
  if (input === undefined || call.has(/^-[lrdc]$/)) return;
  shell.effect({ type: "persist", where: "cron", path: program, text: input.text.slice(0, 4096) });
  shell.runText(input, program);
};

const systemctl: QuietProgram = ({ operands }, shell) => {
  const [verb = "", unit = ""] = operands.map(({ text }) => text);
  const what = /^(?:stop|disable|mask)$/.test(verb) ? protectionOf(unit) : undefined;
  if (verb === "enable") shell.effect({ type: "persist", where: "systemd", path: unit });
  if (what !== undefined)
    shell.effect({ type: "disable-protection", what, detail: `systemctl ${verb} ${unit}` });
};

const launchctl: QuietProgram = ({ texts, detail }, shell) => {
  const [verb = ""] = texts;
  const last = texts.at(-1) ?? "";
  if (/^(?:load|bootstrap|enable|submit)$/.test(verb)) {
    const path = texts.findLast((text) => /plist|\//.test(text)) ?? last;
    shell.effect({ type: "persist", where: "launchd", path });
  }
  const what = /^(?:unload|bootout|disable|remove|stop)$/.test(verb) ? protectionOf(last) : undefined;
  if (what !== undefined) shell.effect({ type: "disable-protection", what, detail });
};

const kill: QuietProgram = ({ program, operands }, shell) => {
  for (const { text } of operands) {
    const what = protectionOf(text);
    if (what !== undefined) shell.effect({ type: "disable-protection", what, detail: `${program} ${text}` });
  }
};

function protectionOf(service: string): "firewall" | "antivirus" | "logging" | "sandbox" | undefined {
  if (/^(?:ufw|firewalld|iptables|nftables|pf|mpssvc)(?:\.service)?$/i.test(service)) return "firewall";
  if (ANTIVIRUS.test(service)) return "antivirus";
  if (/^(?:auditd|rsyslog|syslog|systemd-journald|eventlog)/i.test(service)) return "logging";
  return /^(?:apparmor|selinux)/i.test(service) ? "sandbox" : undefined;
}

const ANTIVIRUS =
  /clam|falcon|crowdstrike|sophos|sentinel|defender|mdatp|esets?|cbdaemon|bdsec|kaspersky|windefend|msmpeng|xprotect|malwarebytes|avast|avg|osquery|wazuh/i;

/** `setcap cap_setuid+ep python3` gives root's rights to every user who starts it. */
const setcap: QuietProgram = ({ texts, joined, detail }, shell) => {
  if (texts[0] === "-r") return;
  const isRoot = /\bcap_(?:setuid|setgid|sys_admin|dac_override|sys_ptrace)\b|\ball[=+]/i.test(joined);
  const isInterpreter =
    /(?:^|[\s/])(?:(?:ba|z|da|k)?sh|python[\d.]{0,5}|perl|ruby|node|php|vim?|gdb|tar|find)$/.test(joined);
  const how = isRoot && isInterpreter ? "setuid-shell" : "capability";
  shell.effect({ type: "privilege", how, detail });
};

/** Adds a user, or adds one to a group; reported only if that user may then act as root. */
const account: QuietProgram = ({ detail }, shell) => {
  // An account with root's number is root under another name.
  if (/\s(?:-u|--uid)[= ]0(?:\s|$)|\s-\w{0,5}ou 0(?:\s|$)/.test(detail))
    shell.effect({ type: "privilege", how: "root-for-all", detail });
  else if (ROOT_GROUP.test(detail)) shell.effect({ type: "privilege", how: "account", detail });
};

const ROOT_GROUP =
  /\s(?:-\w*[gG]|--groups?|--ingroup)[\s=]{1,5}(?:[\w-]{1,40},){0,8}(?:sudo|wheel|admin|root)\b|^(?:adduser|gpasswd|dseditgroup)\s[^\n]{0,120}\s(?:sudo|wheel|admin|root)$|^net1?\s{1,5}localgroup\s{1,5}administrators\s[^\n]{0,80}\/add/i;

const docker: Program = (call, shell) => {
  const { detail, texts } = call;
  const joined = call.joined.slice(0, MAX_JOINED_CHARACTERS);
  const isPrivileged = texts.includes("--privileged") || /--cap-add[= ](?:ALL|SYS_ADMIN)/.test(joined);
  const hasHost = ROOT_MOUNT.test(joined) || /--pid[= ]host/.test(joined);
  const privileges: Privilege[] = [];
  if ((hasHost && ACTS_ON_HOST.test(joined)) || (isPrivileged && SECRET_MOUNT.test(joined)))
    privileges.push("container-escape");
  else {
    if (isPrivileged) privileges.push("privileged-container");
    if (/docker\.sock/.test(joined)) privileges.push("docker-socket");
    if (hasHost || SYSTEM_MOUNT.test(joined)) privileges.push("host-mount");
  }
  for (const how of privileges) shell.effect({ type: "privilege", how, detail });
  return runInContainer(call, shell);
};

const MAX_JOINED_CHARACTERS = 16 * 1024;
const ROOT_MOUNT = /(?:-v|--volume)[= ]\/:\/|(?:source|src)=\/(?:,|\s|$)/;
const SYSTEM_MOUNT = /(?:-v|--volume)[= ]\/(?:etc|root):/;
// Enters the machine's own file tree or processes, or the files that decide who may log in.
const ACTS_ON_HOST =
  /\b(?:chroot|nsenter)\b|\/etc\/(?:shadow|sudoers|passwd|crontab|cron\.\w{1,20})\b|authorized_keys/;
const SECRET_MOUNT =
  /(?:(?:-v|--volume)[= ]|(?:source|src)=)(?:\/etc\/(?:shadow|sudoers)|(?:\/root|~|\/home\/[\w.-]{1,40})\/\.(?:ssh|aws|gnupg|kube))\b/;

const runInContainer: Program = (call, shell): Value => {
  const { program, words, texts } = call;
  // Mounted files, and files built into an image, appear under another name.
  for (const [, from = "", to = ""] of call.joined.matchAll(MOUNT))
    shell.files.set(to, unknown(shell.peek(from)), { append: false });
  if (texts[0] === "build" || texts[0] === "buildx") {
    const given = [...words.map(({ text }) => unknown(shell.peek(text))), ...words];
    for (const { text } of call.after(/^(?:-t|--tag)$/))
      shell.files.set(text, unknown(sourcesOf(given)), { append: true });
  }
  if (texts[0] === "push") noteUnknownWay(call, shell);
  const inner = shellArgument(words);
  if (inner !== undefined) runElsewhere([inner], program, shell);
  return texts[0] === "exec" && /^(?:env|printenv)$/.test(texts.at(-1) ?? "") ? WHOLE_ENVIRONMENT : UNKNOWN;
};

const MOUNT = /(?:-v|--volume)[= ]([^\s:]{1,300}):(\/[^\s:]{1,300})/g;

/** A tunnel exposes everything served here to the public. */
const tunnel: Program = (_call, shell) => {
  const served = shell.files.get(SERVED)?.sources.filter(({ type }) => type === "secret") ?? [];
  shell.flow(served, { type: "network", how: "socket" });
  return UNKNOWN;
};

export const PERSISTERS: Column<Program | QuietProgram> = { crontab, "at batch": at, systemctl, launchctl };

export const SYSTEM_TOOLS: Column<Program | QuietProgram> = {
  "pkill killall taskkill": kill,
  setcap,
  "useradd adduser usermod gpasswd dseditgroup net net1": account,
  "docker podman nerdctl": docker,
  "kubectl oc k3s lxc incus": runInContainer,
  "ngrok cloudflared lt localtunnel bore frpc tailscale": tunnel,
};
