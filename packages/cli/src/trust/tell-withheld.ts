import { wrap } from "../ui/fit-text.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";
import type { JudgedSkill } from "./judge-folder.ts";

const MAX_TOLD = 10;

/** The question whether to trust a folder, with what speaks against it. */
export function trustQuestion(judged: readonly JudgedSkill[]): string {
  const withheld = judged.filter((skill) => skill.withheld !== undefined).length;
  const offered = judged.filter((skill) => skill.withheld === undefined && skill.verdict !== "safe");
  const approved = offered.filter((skill) => skill.verdict === "dangerous" && skill.approved === true).length;
  const odd = offered.length - approved;
  const parts = [
    ...(withheld > 0 ? [`${count(withheld, "skill")} ${withheld === 1 ? "stays" : "stay"} withheld`] : []),
    ...(approved > 0
      ? [
          `${count(approved, "skill")} ${approved === 1 ? "is dangerous and was" : "are dangerous and were"} approved earlier`,
        ]
      : []),
    ...(odd > 0 ? [`${count(odd, "skill")} ${odd === 1 ? "asks" : "ask"} for caution`] : []),
  ];
  return parts.length === 0 ? "Trust this folder?" : `${parts.join(", ")}. Trust this folder all the same?`;
}

/** Which skills of a folder are not offered though it is trusted, and the command that lets each be. */
export function withheldLines(
  withheld: readonly JudgedSkill[],
  { colours, width }: Pick<Terminal, "colours" | "width">,
): string[] {
  const told = withheld.slice(0, MAX_TOLD).flatMap(({ skill, withheld: reason = "" }) => {
    const text = stripControl(`${skill.qualifiedName} stays withheld: ${reason}`);
    return wrap(text, { width: width - 2 }).map(
      (line, index) => `${index === 0 ? colours.yellow("!") : " "} ${line}`,
    );
  });
  const more = withheld.length - MAX_TOLD;
  return more > 0 ? [...told, `  and ${count(more, "more skill")}`] : told;
}
