const SMALLEST = 0.01;
const STEPS_PER_OCTAVE = 20;

/** Packs a weight above 0 into a byte, in steps of three and a half per cent. */
export function quantise(weight: number): number {
  FLOAT[0] = weight;
  return STEPS[(BITS[0] as number) >>> 15] as number;
}

/** What each packed weight stands for. */
export const WEIGHTS: Float32Array = Float32Array.from(
  { length: 256 },
  (_, step) => SMALLEST * 2 ** (step / STEPS_PER_OCTAVE),
);

// By the upper bits of a float, its sign, exponent and eight digits of its fraction: a logarithm for each of the hundred
// million postings of a large library would take a tenth of the time that building its index takes.
const FLOAT: Float32Array = new Float32Array(1);
const BITS: Uint32Array = new Uint32Array(FLOAT.buffer);
const STEPS: Uint8Array = Uint8Array.from({ length: 1 << 16 }, (_, upper) => {
  BITS[0] = (upper << 15) | (1 << 14);
  const step = Math.round(Math.log2((FLOAT[0] as number) / SMALLEST) * STEPS_PER_OCTAVE);
  return Math.min(255, Math.max(0, step));
});
