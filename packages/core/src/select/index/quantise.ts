const SMALLEST = 0.01;
const STEPS_PER_OCTAVE = 20;

/** Packs a weight above 0 into a byte, in steps of three and a half per cent. */
export function quantise(weight: number): number {
  const step = Math.round(Math.log2(weight / SMALLEST) * STEPS_PER_OCTAVE);
  return Math.min(255, Math.max(0, step));
}

/** What each packed weight stands for. */
export const WEIGHTS: Float32Array = Float32Array.from(
  { length: 256 },
  (_, step) => SMALLEST * 2 ** (step / STEPS_PER_OCTAVE),
);
