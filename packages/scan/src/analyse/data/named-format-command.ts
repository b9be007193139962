import { crontabCommands } from "../shell/crontab-commands.ts";

/** The command on a line of a file whose name says that its lines hold some, empty where this one has none; undefined for any other file. */
export function namedFormatCommand(base: string, line: string): string | undefined {
  const read = FORMATS.find(([name]) => name.test(base))?.[1];
  return read?.(line);
}

const FORMATS: readonly (readonly [RegExp, (line: string) => string])[] = [
  [/^crontab(?:\.txt)?$|\.(?:cron|crontab)$/, (line) => crontabCommands(line)[0] ?? ""],
  [/^procfile(?:\.[a-z]+)?$/, (line) => /^\s{0,8}[\w-]{1,60}:\s{0,20}(\S.*)$/.exec(line)?.[1] ?? ""],
  [
    /^(?:ssh_config|\.?ssh[-_.]config|[\w-]*\.ssh_config)$/,
    (line) =>
      /^\s{0,40}(?:proxycommand|localcommand|knownhostscommand|remotecommand|match\s{1,8}exec)[\s=]{1,8}(\S.*)$/i.exec(
        line,
      )?.[1] ?? "",
  ],
];
