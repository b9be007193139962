import { resolveHome } from "@skillet/core";
import type { SkillToPublish } from "@skillet/hub";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace } from "../open-workspace.ts";
import { deferredScan } from "../scan/deferred-scan.ts";
import { readUserRules } from "../scan/user-rules.ts";
import { wrap } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";

/** Scans what is to be published, and says which of it installers will be kept from; that is no reason not to publish. */
export async function warnBlocked(
  context: CommandContext,
  skills: readonly Pick<SkillToPublish, "name" | "files">[],
): Promise<void> {
  const { home } = resolveHome(context.environment);
  const { values } = await openWorkspace(context).config({ without: "project" });
  const packs = values.find(({ key }) => key === "scan.rules")?.value;
  const scan = deferredScan(await readUserRules({ home, packs: strings(packs) }));
  const { terminal } = context;
  for (const { name, files } of skills) {
    const { verdict, findings } = await scan.run(files, {});
    const [worst] = findings;
    if (verdict !== "dangerous") continue;
    const why =
      worst === undefined ? "" : ` (${worst.rule} in ${worst.file}:${worst.line}: ${worst.message})`;
    const text = `! ${name} is dangerous to the scan${why}: whoever installs it will be blocked. Look: skillet scan`;
    for (const line of wrap(stripControl(text), { width: terminal.errorLineWidth })) terminal.warn(line);
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
