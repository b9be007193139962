import type { Call, Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import { EMPTY, UNKNOWN } from "../model/value.ts";
import { hasFlag, readOptions } from "../table/split-options.ts";

const remove: Program = ({ program, words }, shell) => {
  const options = readOptions(words);
  const recursive = hasFlag(options, "-r", "-R", "--recursive", "-d", "-recurse") || program === "shred";
  if (hasFlag(options, "--no-preserve-root"))
    shell.effect({ type: "destroy", what: "root", detail: `${program} --no-preserve-root` });
  for (const { text } of options.operands) {
    const what = recursive ? wideTarget(shell.resolve(text)) : undefined;
    if (what !== undefined) shell.effect({ type: "destroy", what, detail: `${program} ${text}` });
    else if (/^\/dev\/(?:r?disk|sd|hd|nvme|vd)/.test(text))
      shell.effect({ type: "destroy", what: "disk", detail: `${program} ${text}` });
    else if (
      /(?:^|\/)\.(?:bash|zsh)_history$|^\/var\/log(?:\/(?:\*|auth\.log|secure|syslog|messages|wtmp|btmp|lastlog|audit|journal)\S{0,40})?\/?$/.test(
        text,
      )
    )
      shell.effect({
        type: "disable-protection",
        what: text.includes("history") ? "history" : "logging",
        detail: `${program} ${text}`,
      });
    if (text !== "") shell.effect({ type: "delete", path: text, recursive });
  }
  return EMPTY;
};

const disk: Program = ({ program, texts }, shell) => {
  const device = texts.find((text) => /^\/dev\/(?:r?disk|sd|hd|nvme|vd|mmcblk|mapper)/.test(text));
  const joined = texts.join(" ");
  const isErasing =
    program !== "diskutil" ||
    /^(?:erase|zeroDisk|secureErase|partitionDisk|apfs deleteContainer)/i.test(joined);
  if (isErasing && (device !== undefined || (program === "diskutil" && /disk\d/.test(joined))))
    shell.effect({ type: "destroy", what: "disk", detail: `${program} ${joined}`.slice(0, 200) });
  return EMPTY;
};

/** SQL by argument or input. */
const database: Program = (call: Call, shell) => {
  const { program, texts, input } = call;
  noteDrop(`${texts.join(" ")} ${input?.text ?? ""}`.slice(0, 20_000), program, shell);
  return UNKNOWN;
};

function noteDrop(sql: string, program: string, shell: Shell): void {
  const match =
    /\bdrop\s{1,10}(?:database|schema)\s{1,10}[^\s;'"]{1,100}|\btruncate\s{1,10}table\s{1,10}[^\s;]{1,100}|\bdropDatabase\(\)|\bflushall\b/i.exec(
      sql,
    );
  if (match !== null) shell.effect({ type: "destroy", what: "database", detail: `${program}: ${match[0]}` });
}

const matches =
  (what: "database" | "cloud" | "backups" | "repository", pattern: RegExp): Program =>
  ({ program, texts }, shell) => {
    const joined = texts.join(" ").slice(0, 300);
    if (pattern.test(joined)) shell.effect({ type: "destroy", what, detail: `${program} ${joined}`.trim() });
    return UNKNOWN;
  };

/** Programs that take things away for good. */
export const DESTROYERS: readonly (readonly [string, Program])[] = [
  ["rm", remove],
  ["shred", remove],
  ["srm", remove],
  ["unlink", remove],
  ["rimraf", remove],
  ["trash", () => EMPTY],
  ...named("wipefs blkdiscard fdisk sgdisk parted diskutil badblocks mkswap", disk),
  ...named("mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs newfs", disk),
  ...named("mysql mariadb psql sqlite3 mongo mongosh redis-cli sqlcmd clickhouse-client", database),
  ["dropdb", matches("database", /\S/)],
  ["terraform", matches("cloud", /^destroy\b/)],
  ["tofu", matches("cloud", /^destroy\b/)],
  ["pulumi", matches("cloud", /^(?:destroy|stack rm)\b/)],
  ["cdk", matches("cloud", /^destroy\b/)],
  ["helm", matches("cloud", /^(?:uninstall|delete)\b.*--all/)],
  ["heroku", matches("cloud", /^(?:apps:destroy|pg:reset)\b/)],
  ["tmutil", matches("backups", /^(?:delete|deletelocalsnapshots|disable)\b/)],
  ["vssadmin", matches("backups", /^delete\s+shadows/i)],
  ["wbadmin", matches("backups", /^delete\b/i)],
  ["bcdedit", matches("backups", /recoveryenabled\s+no/i)],
];

/** Which place of many things a path is: a whole home, the root, or a folder that the system lives in. */
export function wideTarget(path: string): "home" | "root" | undefined {
  const plain = path.replaceAll("\\", "/").replace(/\/{2,}/g, "/");
  if (HOME.test(plain)) return "home";
  return ROOT.test(plain) ? "root" : undefined;
}

export function isWideTarget(path: string): boolean {
  return wideTarget(path) !== undefined;
}

const HOME =
  /^(?:~|\/root|\/home(?:\/[\w.*-]{1,40})?|\/Users(?:\/[\w.*-]{1,40})?|[A-Za-z]:\/Users(?:\/[\w.*-]{1,40})?)(?:\/(?:\*|\.\*|\.\[!\.\]\*|\{\*,\.\*\}|Documents|Desktop|Pictures|Library)?)?(?:\/\*)?$/;
const ROOT =
  /^(?:\/|\/\*|\/\.|\/(?:etc|usr|var|bin|sbin|lib|boot|opt|System|Library|Applications|home|Users)(?:\/\*?)?|[A-Za-z]:\/?\*?|[A-Za-z]:\/Windows(?:\/\S{0,40})?)$/;
