import { words } from "../../word-list.ts";
import { type Call, itemsOf } from "./call.ts";
import { listValue, taintsOfAll, UNKNOWN, type Value } from "./value.ts";

/** Functions of numbers alone, by the names that both languages give them. */
export const ARITHMETIC: readonly (readonly [names: string, fold: (call: Call) => Value | undefined])[] = [
  ["abs Math.abs", ofNumber(Math.abs)],
  ["round Math.round", ofNumber(Math.round)],
  ["pow Math.pow math.pow", power],
  ["Math.floor math.floor", ofNumber(Math.floor)],
  ["Math.trunc", ofNumber(Math.trunc)],
  ["Math.ceil math.ceil", ofNumber(Math.ceil)],
  ["divmod", quotient],
  ["sum", ofList((numbers) => numbers.reduce((sum, number) => sum + number, 0))],
  ["min", ofList((numbers) => numbers.reduce((least, number) => Math.min(least, number)))],
  ["max", ofList((numbers) => numbers.reduce((most, number) => Math.max(most, number)))],
  ["operator.xor", ofPair((left, right) => left ^ right)],
  ["operator.add", ofPair((left, right) => left + right)],
  ["operator.sub", ofPair((left, right) => left - right)],
];

export function byName<Item>(
  rows: readonly (readonly [names: string, item: Item])[],
): ReadonlyMap<string, Item> {
  return new Map(rows.flatMap(([names, item]) => words(names).map((name): [string, Item] => [name, item])));
}

function ofNumber(change: (number: number) => number): (call: Call) => Value | undefined {
  return ({ positional: [first] }) =>
    first?.number === undefined ? undefined : { number: change(first.number), taints: first.taints };
}

function ofPair(join: (left: number, right: number) => number): (call: Call) => Value | undefined {
  return ({ positional: [left, right] }) =>
    left?.number === undefined || right?.number === undefined
      ? undefined
      : { number: join(left.number, right.number), taints: taintsOfAll([left, right]) };
}

function ofList(fold: (numbers: readonly number[]) => number): (call: Call) => Value | undefined {
  return ({ positional }) => {
    const [only] = positional;
    const values = positional.length === 1 && only !== undefined ? itemsOf(only) : positional;
    if (values === undefined || values.length === 0) return undefined;
    const numbers = values.flatMap((value) => value.number ?? []);
    return numbers.length < values.length
      ? undefined
      : { number: fold(numbers), taints: taintsOfAll(values) };
  };
}

function quotient(call: Call): Value | undefined {
  const whole = ofPair((left, right) => Math.floor(left / right))(call);
  const rest = ofPair((left, right) => left - Math.floor(left / right) * right)(call);
  return call.positional[1]?.number === 0 ? undefined : whole && rest && listValue([whole, rest]);
}

/** `pow(a, b)` and `pow(a, b, m)`, of which `b = -1` is the inverse that affine ciphers need. */
function power({ positional }: Call): Value | undefined {
  const [base, exponent, modulus] = positional.map((value) => value.number);
  if (base === undefined || exponent === undefined) return undefined;
  const taints = taintsOfAll(positional);
  if (positional.length < 3) return { number: base ** exponent, taints };
  if (modulus === undefined || ![base, exponent, modulus].every(Number.isSafeInteger) || modulus < 1)
    return undefined;
  const start = exponent < 0 ? inverse(base, modulus) : base;
  if (start === undefined) return UNKNOWN;
  let result = 1n;
  let square = BigInt(start) % BigInt(modulus);
  for (let left = BigInt(Math.abs(exponent)); left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % BigInt(modulus);
    square = (square * square) % BigInt(modulus);
  }
  const number = Number(result);
  return { number: number < 0 ? number + modulus : number, taints };
}

function inverse(number: number, modulus: number): number | undefined {
  let [rest, next] = [((number % modulus) + modulus) % modulus, modulus];
  let [factor, nextFactor] = [1, 0];
  while (next !== 0) {
    const times = Math.floor(rest / next);
    [rest, next] = [next, rest - times * next];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return rest === 1 ? ((factor % modulus) + modulus) % modulus : undefined;
}
