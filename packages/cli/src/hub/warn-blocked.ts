import { resolveHome } from "@skillet/core";
import type { SkillToPublish } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { shellArgument } from "@skillet/kit/text";
import type { CommandContext } from "../context/command-context.ts";
import { deferredScan } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { readUserRules } from "../context/user-rules.ts";
import { warnDiagnosticsOf } from "./report-results.ts";

/**
 * Scans what is to be published, and says which of it installers will be kept from; that is no reason not to publish.
 *
 * What was said comes back, for a document.
 */
export async function warnBlocked(
  context: CommandContext,
  skills: readonly (Pick<SkillToPublish, "name" | "files"> & { readonly path: string })[],
): Promise<readonly Diagnostic[]> {
  const { home } = resolveHome(context.environment);
  const { values } = await openWorkspace(context).config({ without: "project" });
  const packs = values.find(({ key }) => key === "scan.rules")?.value;
  const scan = deferredScan(await readUserRules({ home, packs: strings(packs) }));
  const diagnostics: Diagnostic[] = [];
  for (const { name, files, path } of skills) {
    const { verdict, findings } = await scan.run(files, {});
    if (verdict !== "dangerous") continue;
    const [worst] = findings;
    const why =
      worst === undefined ? "" : ` (${worst.rule} in ${worst.file}:${worst.line}: ${worst.message})`;
    diagnostics.push({
      code: "publish-dangerous",
      severity: "warning",
      message: `${name} is dangerous to the scan${why}: whoever installs it will be blocked.`,
      file: `${name}/${worst?.file ?? "SKILL.md"}`,
      hint: `Look at what was found: skillet scan ${shellArgument(path)}`,
    });
  }
  warnDiagnosticsOf(context, diagnostics);
  return diagnostics;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
