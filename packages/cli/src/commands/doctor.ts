import { resolveHome, type Skills } from "@skillet/core";
import { detectAgents } from "@skillet/core/internal";
import { AGENT_SWITCHES, settingsStep, Uncertain } from "@skillet/hub";
import { onSkilletError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { openRegistry, requireFolders } from "../context/open-registry.ts";
import { checkMachine, checkPlugins } from "../doctor/check-machine.ts";
import { checkScans, checkSkills } from "../doctor/check-skills.ts";
import { type Finding, findingList, ok, problem, warning } from "../doctor/finding.ts";
import { proposedChanges } from "../hook/propose-learning.ts";
import { count } from "../ui/text.ts";
import { hookStates } from "./hook.ts";

/** Checks the installation and everything it reads; one broken part never hides the others. */
export async function doctor(context: CommandContext): Promise<ExitCode> {
  requireFolders(context);
  const findings = [
    ...(await checkMachine(context)),
    ...checkHooks(context),
    ...checkSettings(context),
    ...(await checkRegistry(context)),
  ];
  const isFine = !findings.some(({ status }) => status === "problem");
  return answer(
    context,
    { ok: isFine, findings },
    () => [...findingList(findings, context.terminal), "", summary(findings)],
    isFine ? 0 : 1,
  );
}

function checkHooks(context: CommandContext): readonly Finding[] {
  return hookStates(context).flatMap(({ agent, title, file, state, problem: fault }) => {
    if (state === "not installed") return [];
    if (fault === undefined) return [ok("hooks", `installed in ${title}`, file)];
    // Reinstalling does not fix hooks that are complete but ineffective; the problem says what to do.
    const isLost = state === "broken" || state === "incomplete";
    const hint = isLost ? `Run: skillet hook install ${agent}` : "See: skillet hook status";
    return [warning("hooks", `${title}: ${fault}`, hint, { file })];
  });
}

/** `disable` leaves settings alone that it cannot parse, and the agent may be unable to read them, too. */
function checkSettings({ environment }: CommandContext): readonly Finding[] {
  const places = { userHome: resolveHome(environment).userHome, environment };
  return detectAgents(places).flatMap(({ id, title }) =>
    (AGENT_SWITCHES.get(id)?.files(places) ?? []).flatMap((file) => {
      const edit = {
        kind: "edit",
        skill: "",
        agents: [id],
        names: ["x"],
        skillFile: "/x",
        changes: [],
      } as const;
      try {
        settingsStep({ ...edit, file }, undefined, true);
        return [];
      } catch (error) {
        if (!(error instanceof Uncertain)) throw error;
        const message = `skillet disable cannot change the settings of ${title}: ${error.message}`;
        return [warning("settings", message, "Repair that file.", { file })];
      }
    }),
  );
}

async function checkRegistry(context: CommandContext): Promise<readonly Finding[]> {
  // A broken config or trust store was already reported in detail.
  const skills = await openRegistry(context, { servers: true }).catch(onSkilletError((error) => error));
  if (skills instanceof Error) {
    const [why = ""] = skills.message.split("\n", 1);
    const message = `not searched: ${why.charAt(0).toLowerCase()}${why.slice(1).replace(/:$/, "")}`;
    return [problem("skills", message, "Repair what is reported above.")];
  }
  return [
    ...(await checkPlugins(context, skills.config.config.skills.plugins)),
    ...(await checkSkills(context, skills)),
    ...(await checkLearning(skills)),
    ...(await checkScans(context, skills)),
  ];
}

async function checkLearning({ home, snapshot }: Skills): Promise<readonly Finding[]> {
  const proposal = await proposedChanges(home, snapshot.skills);
  return proposal === undefined ? [] : [ok("selection", proposal)];
}

function summary(findings: readonly Finding[]): string {
  const parts = (["problem", "warning"] as const).flatMap((wanted) => {
    const number = findings.filter(({ status }) => status === wanted).length;
    return number === 0 ? [] : [count(number, wanted)];
  });
  return parts.length === 0 ? "Everything is fine." : `${parts.join(", ")}.`;
}
