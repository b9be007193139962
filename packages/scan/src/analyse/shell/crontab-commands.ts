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
