import type { Act } from "../../../fact/act.ts";
import { crontabCommands } from "../crontab-commands.ts";
import type { Program } from "../shell-call.ts";
import { EMPTY, known, UNKNOWN, unknown } from "../value.ts";

type Place = Extract<Act, { type: "persist" }>["where"];

const crontab: Program = ({ words, texts, input }, shell) => {
  if (texts.some((text) => /^-[a-z]*[ler]$/.test(text))) return unknown([], "*\n");
  const file = words.find(
    ({ text }, index) => (!text.startsWith("-") || text === "-") && texts[index - 1] !== "-u",
  );
  const content = file === undefined || file.text === "-" ? (input ?? UNKNOWN) : shell.readFile(file);
  shell.act({ type: "persist", where: "cron", path: "crontab", text: content.text.slice(0, 4096) });
  for (const command of crontabCommands(content.text)) shell.runText(known(command), "cron");
  shell.flow(
    content.sources.filter(({ type }) => type === "network" || type === "decoded"),
    { type: "execute", how: "file", by: "cron" },
  );
  return EMPTY;
};

const at: Program = ({ program, texts, input }, shell) => {
  if (texts.some((text) => /^-[lrdc]$/.test(text))) return EMPTY;
  if (input === undefined) return EMPTY;
  shell.act({ type: "persist", where: "cron", path: program, text: input.text.slice(0, 4096) });
  shell.runText(input, program);
  return EMPTY;
};

const systemctl: Program = ({ texts }, shell) => {
  const verb = texts.find((text) => !text.startsWith("-")) ?? "";
  const unit = texts.filter((text) => !text.startsWith("-"))[1] ?? "";
  if (verb === "enable") shell.act({ type: "persist", where: "systemd", path: unit });
  if (verb === "stop" || verb === "disable" || verb === "mask") {
    const what = protectionOf(unit);
    if (what !== undefined)
      shell.act({ type: "disable-protection", what, detail: `systemctl ${verb} ${unit}` });
  }
  return EMPTY;
};

/** Which protection a service is. */
export function protectionOf(service: string): "firewall" | "antivirus" | "logging" | "sandbox" | undefined {
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
    shell.act({
      type: "persist",
      where: "launchd",
      path: texts.findLast((text) => /plist|\//.test(text)) ?? texts.at(-1) ?? "",
    });
  const what = /^(?:unload|bootout|disable|remove|stop)$/.test(texts[0] ?? "")
    ? protectionOf(texts.at(-1) ?? "")
    : undefined;
  if (what !== undefined)
    shell.act({ type: "disable-protection", what, detail: `launchctl ${texts.join(" ")}`.slice(0, 200) });
  return EMPTY;
};

const always =
  (where: Place): Program =>
  ({ program, texts }, shell) => {
    shell.act({ type: "persist", where, path: `${program} ${texts.join(" ")}`.slice(0, 200) });
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
