import type { Answer, Ask, Question } from "@skillet/core";
import type { CommandContext, Dialog } from "../context/command-context.ts";
import { askOnTerminal } from "../context/create-ask.ts";
import { hang, showControl, stripControl } from "../ui/text.ts";

/** Puts the rounds of skillify to the person at the terminal, one line each; Enter keeps what is filled in. */
export function askRound({ terminal }: CommandContext, dialog: Dialog): Ask {
  return async (question, { signal }) => {
    const { shown = "", choices, taken, reason } = question;
    const [yes = ""] = choices;
    // What cannot be taken back needs a typed yes.
    const isLast = choices.at(-1) === "cancel";
    const layout = terminal.errors;
    const lines = [
      "",
      ...shown
        .split("\n")
        .flatMap((line) => (line === "" ? [""] : hang(showControl(line), layout, { indent: 2 }))),
      ...(isLast ? [] : choices.flatMap((choice, index) => choiceLines(choice, index, taken, layout))),
    ];
    terminal.warn(shown === "" ? lines.slice(1) : lines);
    for (;;) {
      const typed = await askOnTerminal(dialog, `${reason} ${isLast ? "[y/N]" : hintOf(question)}`, signal);
      if (typed === undefined) return undefined;
      if (isLast) return { choice: /^y(?:es)?$/i.test(typed) ? yes : "cancel" };
      const answer = readTyped(typed, question);
      if (answer !== undefined) return answer;
      terminal.warn(`Type a number from 1 to ${choices.length}.`);
    }
  };
}

function choiceLines(
  choice: string,
  index: number,
  taken: readonly string[] | undefined,
  layout: CommandContext["terminal"]["errors"],
): readonly string[] {
  const mark = taken === undefined ? "" : taken.includes(choice) ? "[x] " : "[ ] ";
  return hang(`${index + 1}) ${mark}${stripControl(choice)}`, layout, { indent: 7 });
}

function hintOf({ taken, text, choices }: Question): string {
  const numbers = taken === undefined ? (choices.length > 1 ? "a number" : "") : "numbers to leave out";
  const others = [numbers, text ?? ""].filter((one) => one !== "").join(" and/or ");
  return `[Enter to agree${others === "" ? "" : `; ${others}`}]`;
}

/** Numbers are choices. Text alone, or after them, is what the question lets the user type. */
function readTyped(typed: string, { choices, taken, text }: Question): Answer | undefined {
  const [first = ""] = choices;
  const [, list = "", rest = ""] = /^((?:\d+(?:[\s,]+|$))*)(.*)$/s.exec(typed) ?? [];
  // Where there is nothing to choose, a text may begin with a number.
  const isText = rest !== "" && taken === undefined && choices.length === 1;
  const numbers = isText ? [] : (list.match(/\d+/g) ?? []).map(Number);
  const chosen = numbers.flatMap((number) => choices[number - 1] ?? []);
  const isMore = taken === undefined && numbers.length > 1;
  if (chosen.length < numbers.length || isMore || (rest !== "" && text === undefined)) return undefined;
  return {
    choice: (taken === undefined ? chosen[0] : undefined) ?? first,
    ...(taken !== undefined && { taken: taken.filter((choice) => !chosen.includes(choice)) }),
    ...(rest !== "" && { text: isText ? typed : rest }),
  };
}
