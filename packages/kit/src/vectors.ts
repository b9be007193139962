import { compareByteOrder } from "./order.ts";

/** What words mean, by the company that they keep in newspapers and an encyclopedia: English, and one sense a word. */
export interface WordVectors {
  /** The vector of a stem as `stemWord` makes it, of length 1; undefined for one that is not known. */
  readonly wordVector: (stem: string) => Float32Array | undefined;
  /** The mean of what is known of several stems, of length 1; undefined where nothing is. Each weighs 1 unless given. */
  readonly vectorOf: (stems: readonly string[], weights?: readonly number[]) => Float32Array | undefined;
}

/** Loads the table, 1.4 MB, on the first call. */
export function loadVectors(): Promise<WordVectors> {
  loading ??= import("./vectors/table.ts").then(createVectors);
  return loading;
}

let loading: Promise<WordVectors> | undefined;

/** How alike two vectors of length 1 are, between -1 and 1. */
export function similarity(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] as number) * (right[at] as number);
  return sum;
}

function createVectors({ DIMENSIONS, WORDS, COMPONENTS }: typeof import("./vectors/table.ts")): WordVectors {
  const words = WORDS.split(" ");
  const known = new Map<string, Float32Array | undefined>();
  const wordVector = (stem: string): Float32Array | undefined => {
    if (known.has(stem)) return known.get(stem);
    const row = findWord(words, stem);
    const vector = row < 0 ? undefined : readRow(COMPONENTS, row * DIMENSIONS, DIMENSIONS);
    // Every word of the table is kept once it was asked for; of those that are not in it there is no end.
    if (vector !== undefined) known.set(stem, vector);
    return vector;
  };
  return {
    wordVector,
    vectorOf: (stems, weights) => {
      const sum = new Float32Array(DIMENSIONS);
      stems.forEach((stem, place) => {
        const vector = wordVector(stem);
        const weight = weights?.[place] ?? 1;
        if (vector !== undefined)
          for (let at = 0; at < DIMENSIONS; at += 1)
            sum[at] = (sum[at] as number) + weight * (vector[at] as number);
      });
      return normalise(sum);
    },
  };
}

function findWord(words: readonly string[], stem: string): number {
  let [low, high] = [0, words.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareByteOrder(words[middle] ?? "", stem);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Written by bench/make-vectors.mjs: a character from `#` to `~` a component, `!` for the backslash. */
function readRow(components: string, start: number, length: number): Float32Array | undefined {
  const vector = new Float32Array(length);
  for (let at = 0; at < length; at += 1) {
    const code = components.charCodeAt(start + at);
    vector[at] = (code === 33 ? 92 : code) - 80;
  }
  return normalise(vector);
}

function normalise(vector: Float32Array): Float32Array | undefined {
  const length = Math.sqrt(similarity(vector, vector));
  if (length === 0) return undefined;
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}
