import fc from "fast-check";

/** Any number would do: what matters is that every run of the tests tries the same values. */
const FIXED_SEED = 20_261_115;

const seed = process.env.FUZZ_SEED === undefined ? FIXED_SEED : Number(process.env.FUZZ_SEED);
if (!Number.isInteger(seed)) throw new TypeError(`FUZZ_SEED is not an integer: ${process.env.FUZZ_SEED}`);
fc.configureGlobal({ seed });
