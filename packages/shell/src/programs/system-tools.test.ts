import { expect, test } from "vitest";
import { crontabCommands } from "./system-tools.ts";

test("the commands of a crontab stand after five fields or a name", () => {
  const text =
    "# m h\nMAILTO=a\n*/5 * * * * curl x | sh\n0 3 * * mon-fri  /bin/backup\n@reboot root /bin/start\nno command here\n";
  expect(crontabCommands(text)).toEqual(["curl x | sh", "/bin/backup", "/bin/start"]);
});

test("a long line of stars ends", () => {
  expect(crontabCommands("* ".repeat(1_000_000))).toEqual([]);
});
