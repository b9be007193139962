import type { FieldName } from "../document/skill-document.ts";

/** How a field counts: its weight, how much its length is held against it, and the length that is usual. */
export interface FieldWeight {
  readonly weight: number;
  readonly lengthShare: number;
  readonly usualLength: number;
}

/**
 * The fields of BM25F. The usual lengths are constants, not averages of the library at hand, so that what is indexed of
 * one skill never depends on another and a segment stays true when its neighbours change.
 */
export const FIELD_WEIGHTS: Readonly<Record<FieldName, FieldWeight>> = {
  name: { weight: 13, lengthShare: 0.3, usualLength: 3 },
  description: { weight: 7, lengthShare: 0.5, usualLength: 45 },
  trigger: { weight: 2.4, lengthShare: 0.9, usualLength: 20 },
  heading: { weight: 0.8, lengthShare: 0.6, usualLength: 45 },
  body: { weight: 0.64, lengthShare: 0.4, usualLength: 650 },
  code: { weight: 0.08, lengthShare: 0.7, usualLength: 250 },
};
