import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Variables that change what git, Skillet or a screen does. */
const LEFT_OUT =
  /^(?:GIT_|SKILLET_|XDG_|LC_)|^(?:LANGUAGE|NO_COLOR|FORCE_COLOR|COLUMNS|EDITOR|VISUAL|PAGER)$|_proxy$/i;

/** Gives all tests the same surroundings, whoever runs them: an empty home, one language, time zone and umask. */
export function setup(): () => void {
  for (const name of Object.keys(process.env)) if (LEFT_OUT.test(name)) delete process.env[name];
  const home = mkdtempSync(join(tmpdir(), "skillet-home-"));
  Object.assign(process.env, { HOME: home, LANG: "C.UTF-8", TZ: "UTC" });
  process.umask(0o022);
  return () => rmSync(home, { recursive: true, force: true });
}
