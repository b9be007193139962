/** A JSON Schema as a skill wrote it; what of it is checked here, `checkAgainstSchema` says. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
