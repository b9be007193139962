import type { Call } from "../model/call.ts";
import type { Effect, Privilege, Protection, SecretKind, Source, Victim } from "../model/effect.ts";
import { unknown, type Value } from "../model/value.ts";
import { type Column, lookUp } from "../table/program-row.ts";
import { forgeEffects } from "./fetchers.ts";

/**
 * Effects or output sources of programs that are evident from the arguments alone. Created on demand: a
 * hundred patterns take longer than everything else about a command.
 */
type Signs<Told> = () => readonly (readonly [RegExp, tell: (call: Call) => Told | readonly Told[]])[];

const ALWAYS = /^/;
const MAX_JOINED_CHARACTERS = 16 * 1024;

/** The effects of a call, by the look of its arguments. */
export function effectsOf(call: Call): readonly Effect[] {
  return told(findEffects, call);
}

/** The output of a call by the look of its arguments, if its origin is known. */
export function printedBySign(call: Call): Value | undefined {
  const sources = told(findPrinted, call);
  return sources.length === 0 ? undefined : unknown(sources);
}

export function hasSigns(program: string): boolean {
  return (findEffects(program) ?? findPrinted(program)) !== undefined;
}

function told<Told>(find: (program: string) => Signs<Told> | undefined, call: Call): readonly Told[] {
  const signs = find(call.program);
  if (signs === undefined) return [];
  const joined = call.joined.slice(0, MAX_JOINED_CHARACTERS);
  return signs().flatMap(([pattern, tell]) => (pattern.test(joined) ? tell(call) : []));
}

const disables =
  (what: Protection, detail?: string) =>
  (call: Call): Effect => ({ type: "disable-protection", what, detail: detail ?? call.detail });
const destroys =
  (what: Victim) =>
  (call: Call): Effect => ({ type: "destroy", what, detail: call.detail });
const grants =
  (how: Privilege) =>
  (call: Call): Effect => ({ type: "privilege", how, detail: call.detail });

/** Programs that protect a machine or its data, and those that remove the protection. */
const EFFECT_COLUMN: Column<Signs<Effect>> = {
  xattr: () => [[/com\.apple\.quarantine|^-\w*c/, disables("gatekeeper")]],
  spctl: () => [[/--(?:master|global)-disable|--add/, disables("gatekeeper")]],
  csrutil: () => [[/disable/, disables("sandbox")]],
  setenforce: () => [[/^(?:0|permissive)/i, disables("sandbox")]],
  ufw: () => [[/^disable|default allow incoming/, disables("firewall")]],
  iptables: () => [[/^(?:-F|--flush|-P (?:INPUT|OUTPUT|FORWARD) ACCEPT)/, disables("firewall")]],
  pfctl: () => [[/^-d/, disables("firewall")]],
  netsh: () => [[/state off|set opmode disable/i, disables("firewall")]],
  "set-netfirewallprofile": () => [[/-enabled (?:\$?false|0)/i, disables("firewall")]],
  auditctl: () => [[/-e 0|-D/, disables("logging")]],
  wevtutil: () => [[/^(?:cl|clear-log)\b/i, disables("logging")]],
  "clear-eventlog": () => [[/./, disables("logging")]],
  "add-mppreference": () => [[/-exclusion/i, disables("antivirus")]],
  "set-mppreference": () => [[/-disable\w+ (?:\$?true|1)|-exclusion/i, disables("antivirus")]],
  "set-executionpolicy": () => [[/bypass|unrestricted/i, disables("approval")]],
  "clear-history": () => [[ALWAYS, disables("history")]],
  set: () => [[/^\+o history(?: |$)/, disables("history", "set +o history")]],
  unset: () => [[/(?:^| )HIST(?:FILE|SIZE)(?: |$)/, disables("history")]],
  "history fc": () => [[/^-c/, disables("history", "history -c")]],
  security: () => [[/^add-trusted-cert(?: |$)/, disables("certificate-check", "security add-trusted-cert")]],
  npm: () => [[/strict-ssl[\s=]{1,5}false/, disables("certificate-check", "npm strict-ssl false")]],

  "wipefs blkdiscard fdisk sgdisk parted badblocks mkswap mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs newfs":
    () => [[/(?:^| )\/dev\/(?:r?disk|sd|hd|nvme|vd|mmcblk|mapper)/, destroys("disk")]],
  diskutil: () => [
    [/^(?:erase|zeroDisk|secureErase|partitionDisk|apfs deleteContainer).*disk\d/i, destroys("disk")],
  ],
  format: () => [[/^[a-z]:/i, destroys("disk")]],
  "format-volume clear-disk initialize-disk": () => [[ALWAYS, destroys("disk")]],
  dropdb: () => [[/\S/, destroys("database")]],
  "terraform tofu cdk": () => [[/^destroy\b/, destroys("cloud")]],
  pulumi: () => [[/^(?:destroy|stack rm)\b/, destroys("cloud")]],
  helm: () => [[/^(?:uninstall|delete)\b.*--all/, destroys("cloud")]],
  heroku: () => [[/^(?:apps:destroy|pg:reset)\b/, destroys("cloud")]],
  "kubectl oc k3s lxc incus": () => [
    [/^delete\b[^|]{0,100}--all\b|^delete (?:ns|namespaces?|pvc?)\b/, destroys("cloud")],
  ],
  "docker podman nerdctl": () => [[/^system prune\b.*--volumes|^volume rm\b/, destroys("files")]],
  aws: () => [
    [
      /^(?:rds|redshift|docdb|neptune) delete-\S{1,40} [^|]{0,200}--(?:skip-final-\S{0,20}snapshot|delete-automated-backups)|^\w{2,20} delete-(?:db-|cluster-)?(?:cluster-)?(?:snapshots?|backups?|recovery-point|backup-vault)(?: |$)|PointInTimeRecoveryEnabled=false|--bypass-governance-retention|^kms schedule-key-deletion/,
      destroys("backups"),
    ],
    [
      /^cloudtrail (?:stop-logging|delete-trail)|^guardduty (?:delete-detector|update-detector [^|]{0,80}--no-enable)|^configservice (?:stop|delete)-configuration-recorder|^ec2 delete-flow-logs/,
      disables("logging"),
    ],
  ],
  "gh glab": () => [
    [/^(?:repo )?(?:deploy|ssh|gpg)-key add |^repo members add /, grants("shared-access")],
    [
      /^api\b(?!.*(?:-X|--method)[ =]?GET\b).*(?: -X| --method| -[fF]| --(?:raw-)?field| --input)/,
      ({ texts }) => texts.flatMap(forgeEffects),
    ],
  ],
  tmutil: () => [[/^(?:delete|deletelocalsnapshots|disable)\b/, destroys("backups")]],
  vssadmin: () => [[/^delete\s+shadows/i, destroys("backups")]],
  wbadmin: () => [[/^delete\b/i, destroys("backups")]],
  bcdedit: () => [[/recoveryenabled\s+no/i, destroys("backups")]],

  modprobe: () => [[ALWAYS, grants("driver")]],
  visudo: () => [[ALWAYS, grants("sudoers")]],
  nsenter: () => [[ALWAYS, grants("capability")]],
  "update-rc.d chkconfig rc-update": () => [
    [ALWAYS, ({ detail: path }) => ({ type: "persist", where: "service", path })],
  ],
  "ngrok cloudflared lt localtunnel bore frpc tailscale": () => [
    [
      /^(?:http|tcp|tunnel|start|tls|--url|share|serve|funnel)/,
      ({ program, texts }) => ({ type: "listen", address: `${program} ${texts.slice(0, 3).join(" ")}` }),
    ],
  ],
  "xmrig minerd cpuminer cgminer bfgminer ethminer nbminer t-rex lolminer xmr-stak ccminer phoenixminer":
    () => [[ALWAYS, ({ detail }) => ({ type: "abuse", what: "miner", detail })]],
  "ab wrk hey siege vegeta bombardier": () => [
    [/https?:\/\/(?!localhost|127\.|\[::1\])/, ({ detail }) => ({ type: "abuse", what: "flood", detail })],
  ],
  hping3: () => [[/--flood/, ({ program: detail }) => ({ type: "abuse", what: "flood", detail })]],
};

const findEffects = lookUp(() => [EFFECT_COLUMN]);

export function isMiner(name: string): boolean {
  return findEffects(name) === findEffects("xmrig");
}

const prints = (source: Source) => (): Source => source;
/** A secret named after the command and its first words. */
const printsSecret =
  (secret: SecretKind, words: number) =>
  ({ program, texts }: Call): Source => {
    const name = [program, ...texts.slice(0, words)].join(" ").slice(0, 80);
    return { type: "secret", secret, name };
  };

const CLOUD_CREDENTIALS =
  /^configure (?:get|export-credentials)|^sts get-session-token|^secretsmanager get-secret|^ssm get-parameter|^auth (?:print-access-token|application-default print|token)|^account get-access-token|^secrets versions access|^keyvault secret show/;

/** Programs that reveal facts about the machine, its users or their secrets. */
const PRINTED_COLUMN: Column<Signs<Source>> = {
  "whoami hostname uname id ifconfig ip ipconfig systeminfo sw_vers ps w who last netstat arp lsof dscl system_profiler lscpu ioreg wmic tasklist":
    () => [[ALWAYS, prints({ type: "system" })]],
  "pbpaste wl-paste get-clipboard": () => [[ALWAYS, prints({ type: "capture", what: "clipboard" })]],
  "xclip xsel": () => [[/^$|(?:^| )-o/, prints({ type: "capture", what: "clipboard" })]],
  "xinput logkeys": () => [[ALWAYS, prints({ type: "capture", what: "keys" })]],
  "pass op bw keyring lpass gopass": () => [
    [
      /^(?:(?:show|get|read|item|list|export|ls|lookup|-c|unlock)(?: |$)|$)/,
      printsSecret("password-store", 1),
    ],
  ],
  "secret-tool": () => [[ALWAYS, printsSecret("password-store", 1)]],
  security: () => [
    [/^(?:find-(?:generic|internet)-password|dump-keychain|export)(?: |$)/, printsSecret("keychain", 3)],
  ],
  "aws gsutil gcloud az rclone s3cmd mc doctl": () => [[CLOUD_CREDENTIALS, printsSecret("cloud", 6)]],
  "kubectl oc k3s lxc incus": () => [
    [/^(?:get secrets?|config view --raw|create token)/, printsSecret("kubernetes", 8)],
  ],
  gh: () => [[/^auth token(?: |$)/, printsSecret("git", 2)]],
  // The state contains every password that a resource was created with.
  "terraform tofu": () => [[/^(?:state pull|output [^|]{0,40}-json)(?: |$)/, printsSecret("cloud", 2)]],
};

const findPrinted = lookUp(() => [PRINTED_COLUMN]);
