import type { OptionStyle } from "@skillet/shell/programs";
import { type Argument, exact, exactText } from "./argument.ts";

/** An option and its value, where it has one. */
export interface GivenOption {
  readonly name: string;
  readonly value?: Argument;
}

/** The options from a word on up to the first word that is none, and where that is. */
export function splitOptions(
  words: readonly Argument[],
  from: number,
  style: OptionStyle,
): { readonly options: readonly GivenOption[]; readonly next: number } {
  const options: GivenOption[] = [];
  let next = from;
  for (; next < words.length; next += 1) {
    const text = exactText(words[next]);
    if (text === "--") return { options, next: next + 1 };
    if (text === "-" || !text.startsWith("-")) break;
    const read = readOption(text, style);
    const last = read.at(-1);
    if (last?.value === undefined && style.valued?.has(last?.name ?? "") && next + 1 < words.length) {
      next += 1;
      const value = words[next];
      read[read.length - 1] = { name: last?.name ?? "", ...(value && { value }) };
    }
    if (style.twiceValued?.has(text)) next += 2;
    options.push(...read);
  }
  return { options, next: Math.min(next, words.length) };
}

/** The options and the other words of a program that takes them in any order. */
export function splitArguments(
  words: readonly Argument[],
  style: OptionStyle,
): { readonly options: readonly GivenOption[]; readonly operands: readonly Argument[] } {
  const options: GivenOption[] = [];
  const operands: Argument[] = [];
  for (let at = 1; at < words.length; ) {
    const split = splitOptions(words, at, style);
    options.push(...split.options);
    if (exactText(words[split.next - 1]) === "--" && split.next > at)
      return { options, operands: [...operands, ...words.slice(split.next)] };
    operands.push(...words.slice(split.next, split.next + 1));
    at = split.next + 1;
  }
  return { options, operands };
}

function readOption(text: string, { valued, style }: OptionStyle): GivenOption[] {
  const equals = text.indexOf("=");
  if (text.startsWith("--") || style === "words" || valued?.has(text)) {
    const cut = equals > 0 ? equals : style === "words" ? text.indexOf(":") : -1;
    const name = cut > 0 ? text.slice(0, cut) : text;
    return [
      {
        name: style === "words" ? name.toLowerCase() : name,
        ...(cut > 0 && { value: exact(text.slice(cut + 1)) }),
      },
    ];
  }
  const options: GivenOption[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at]}`;
    const rest = text.slice(at + 1).replace(/^=/, "");
    if (valued?.has(name) && rest !== "") return [...options, { name, value: exact(rest) }];
    options.push({ name });
  }
  return options;
}
