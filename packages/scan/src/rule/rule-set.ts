/** Put in by the build: a digest over the scanner's own source and the versions of its parsers. */
declare const BUILT_RULE_SET: string | undefined;

/** Names these rules and everything that they read with; a report of another rule set is scanned anew. */
export const RULE_SET: string = typeof BUILT_RULE_SET === "string" ? BUILT_RULE_SET : "from-source";
