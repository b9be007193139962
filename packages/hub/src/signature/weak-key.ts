/**
 * Whether a public key is one for which anybody can sign, or is written in a way that only lenient readers take.
 *
 * For points of small order, signatures hold that nobody made. There are eight, by five values of y; values from the
 * prime on are second spellings. The highest bit is the sign of x and says nothing about it.
 */
export function isWeakKey(raw: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(raw).reverse().toString("hex")}`) & HIGHEST;
  return y >= PRIME || SMALL_ORDER.has(y);
}

const HIGHEST = (1n << 255n) - 1n;
const PRIME = (1n << 255n) - 19n;
const ORDER_EIGHT = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, ORDER_EIGHT, PRIME - ORDER_EIGHT]);
