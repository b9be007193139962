/** A share with its 95 % interval by Wilson. */
export interface Rate {
  readonly hits: number;
  readonly total: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

const Z = 1.959964;

/** How often something holds; of nothing it never does, and anything is possible. */
export function rateOf(hits: number, total: number): Rate {
  if (total === 0) return { hits, total, share: 0, low: 0, high: 1 };
  const share = hits / total;
  const scale = 1 + Z ** 2 / total;
  const middle = (share + Z ** 2 / (2 * total)) / scale;
  const half = (Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2))) / scale;
  return { hits, total, share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** `0.95 [0.83, 0.99]`. */
export function formatRate({ share, low, high, total }: Rate): string {
  return total === 0 ? "-" : `${share.toFixed(3)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
}
