import { EMPTY, type Value } from "../model/value.ts";
import type { OptionStyle } from "./program-row.ts";

/** An option and its value, where it has one. */
export interface GivenOption {
  readonly name: string;
  readonly value?: Value;
}

/** The options from a word on up to the first word that is none, and where that is. */
export function splitOptions(
  words: readonly Value[],
  from: number,
  style: OptionStyle,
): { readonly options: readonly GivenOption[]; readonly next: number } {
  const options: GivenOption[] = [];
  let next = from;
  for (; next < words.length; next++) {
    const word = words[next] ?? EMPTY;
    const { text } = word;
    if (text === "--") return { options, next: next + 1 };
    if (text === "-" || !text.startsWith("-")) break;
    const read = readOption(word, style);
    const last = read.at(-1);
    if (last?.value === undefined && style.valued?.has(last?.name ?? "") && next + 1 < words.length)
      read[read.length - 1] = { name: last?.name ?? "", value: words[++next] ?? EMPTY };
    if (style.twiceValued?.has(text)) next += 2;
    options.push(...read);
  }
  return { options, next: Math.min(next, words.length) };
}

/** The options and the other words of a program that takes them in any order. */
export function splitArguments(
  words: readonly Value[],
  style: OptionStyle,
): { readonly options: readonly GivenOption[]; readonly operands: readonly Value[] } {
  const options: GivenOption[] = [];
  const operands: Value[] = [];
  for (let at = 0; at < words.length; ) {
    const split = splitOptions(words, at, style);
    options.push(...split.options);
    if (split.next > at && words[split.next - 1]?.text === "--")
      return { options, operands: [...operands, ...words.slice(split.next)] };
    operands.push(...words.slice(split.next, split.next + 1));
    at = split.next + 1;
  }
  return { options, operands };
}

function readOption(word: Value, { valued, style }: OptionStyle): GivenOption[] {
  const { text } = word;
  if (text.startsWith("--") || style === "words" || valued?.has(text)) {
    const equals = text.indexOf("=");
    const cut = equals > 0 ? equals : style === "words" ? text.indexOf(":") : -1;
    const name = cut > 0 ? text.slice(0, cut) : text;
    return [
      {
        name: style === "words" ? name.toLowerCase() : name,
        ...(cut > 0 && { value: { ...word, text: text.slice(cut + 1) } }),
      },
    ];
  }
  const options: GivenOption[] = [];
  for (let at = 1; at < Math.min(text.length, MAX_CLUSTER); at++) {
    const name = `-${text.charAt(at)}`;
    const rest = text.slice(at + 1).replace(/^=/, "");
    if (valued?.has(name) && rest !== "") return [...options, { name, value: { ...word, text: rest } }];
    options.push({ name });
  }
  return options;
}

const MAX_CLUSTER = 40;
