import type { Act } from "../../../fact/act.ts";
import type { Program } from "../shell-call.ts";
import { EMPTY, UNKNOWN } from "../value.ts";
import { protectionOf } from "./persisters.ts";

type Protection = Extract<Act, { type: "disable-protection" }>["what"];

/** Switches a protection off when its arguments look so. */
const disables =
  (what: Protection, pattern: RegExp): Program =>
  ({ program, texts }, shell) => {
    const joined = texts.join(" ").slice(0, 300);
    if (pattern.test(joined))
      shell.act({ type: "disable-protection", what, detail: `${program} ${joined}`.trim() });
    return UNKNOWN;
  };

const kill: Program = ({ program, texts }, shell) => {
  for (const text of texts) {
    const what = text.startsWith("-") ? undefined : protectionOf(text);
    if (what !== undefined) shell.act({ type: "disable-protection", what, detail: `${program} ${text}` });
  }
  return EMPTY;
};

const privilege =
  (how: Extract<Act, { type: "privilege" }>["how"]): Program =>
  ({ program, texts }, shell) => {
    shell.act({ type: "privilege", how, detail: `${program} ${texts.join(" ")}`.slice(0, 200) });
    return EMPTY;
  };

const miner: Program = ({ program, texts }, shell) => {
  shell.act({ type: "abuse", what: "miner", detail: `${program} ${texts.join(" ")}`.slice(0, 200) });
  return EMPTY;
};

const MINERS: ReadonlySet<string> = new Set([
  "xmrig",
  "minerd",
  "cpuminer",
  "cgminer",
  "bfgminer",
  "ethminer",
  "nbminer",
  "t-rex",
  "lolminer",
  "xmr-stak",
  "ccminer",
  "phoenixminer",
]);

/** `setcap cap_setuid+ep python3` makes root of everybody who starts it. */
const capability: Program = (call, shell) => {
  const joined = call.texts.join(" ");
  if (call.texts[0] === "-r") return EMPTY;
  const isRoot = /\bcap_(?:setuid|setgid|sys_admin|dac_override|sys_ptrace)\b|\ball[=+]/i.test(joined);
  const isInterpreter =
    /(?:^|[\s/])(?:(?:ba|z|da|k)?sh|python[\d.]{0,5}|perl|ruby|node|php|vim?|gdb|tar|find)$/.test(joined);
  return privilege(isRoot && isInterpreter ? "setuid-shell" : "capability")(call, shell);
};

const hping: Program = ({ program, texts }, shell) => {
  if (texts.includes("--flood")) shell.act({ type: "abuse", what: "flood", detail: program });
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
