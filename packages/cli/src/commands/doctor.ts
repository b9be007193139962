import type { Skills } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { openRegistry, requireFolders } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import {
  checkApprovals,
  checkAudit,
  checkCache,
  checkConfig,
  checkHome,
  checkLearned,
  checkNode,
  checkSandbox,
  checkTrust,
} from "../doctor/check-machine.ts";
import { checkArguments, checkSkills } from "../doctor/check-skills.ts";
import { type Finding, findingList } from "../doctor/finding.ts";
import { printJson } from "../ui/json-document.ts";
import { count } from "../ui/text.ts";

/** Checks the installation and everything it reads; one broken part never hides the others. */
export async function doctor(context: CommandContext): Promise<ExitCode> {
  requireFolders(context);
  const { home } = openWorkspace(context);
  const findings: Finding[] = [
    checkNode(process.versions.node, context.version),
    await checkHome(home),
    ...(await checkConfig(context)),
    ...checkTrust(home),
    ...checkApprovals(home),
    ...checkLearned(home),
    await checkCache(home),
    ...(await checkAudit(home)),
    await checkSandbox(context),
    ...(await checkRegistry(context)),
  ];
  const problems = findings.filter(({ status }) => status === "problem").length;
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, { ok: problems === 0, findings });
  } else {
    const layout = { width: terminal.width, colours: terminal.colours, environment };
    terminal.print(findingList(findings, layout));
    terminal.print();
    terminal.print(summary(findings, problems));
  }
  return problems === 0 ? 0 : 1;
}

async function checkRegistry(context: CommandContext): Promise<readonly Finding[]> {
  let skills: Skills;
  try {
    skills = await openRegistry(context);
  } catch (error) {
    // Broken config and a broken trust store were reported already, at length.
    if (!SkilletError.isInstance(error)) throw error;
    const [message = ""] = error.message.split("\n");
    return [
      {
        check: "skills",
        status: "problem",
        message: `not searched: ${message}`,
        hint: "Repair what is reported above.",
      },
    ];
  }
  return [...checkSkills(skills), ...(await checkArguments(skills))];
}

function summary(findings: readonly Finding[], problems: number): string {
  const warnings = findings.filter(({ status }) => status === "warning").length;
  if (problems === 0 && warnings === 0) return "Everything is fine.";
  const parts = [
    ...(problems > 0 ? [count(problems, "problem")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
  return `${parts.join(", ")}.`;
}
