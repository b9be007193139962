import type { Plan } from "@skillet/hub";
import type { ResultRow, RowInspection } from "./result-row.ts";

const MAX_FINDINGS = 50;

type Inspected = Pick<Plan["items"][number], "report" | "origin">;

/** Adds to what became of each name what its scan said, where it came that far. */
export function inspectedRows(
  rows: readonly ResultRow[],
  { items, refusals, failed = [] }: Plan,
): readonly ResultRow[] {
  const known = new Map<string, Inspected>(items.map((item) => [item.name, item]));
  for (const { name, inspected } of [...refusals, ...failed])
    if (inspected !== undefined) known.set(name, inspected);
  const earlier = new Map(items.map(({ name, before }) => [name, before?.resolved]));
  return rows.map((row) => {
    const before = earlier.get(row.name);
    const inspected = known.get(row.name);
    return inspected === undefined
      ? row
      : { ...row, ...(before !== undefined && { before }), ...inspectionOf(inspected) };
  });
}

function inspectionOf({ report, origin }: Inspected): RowInspection {
  const { verdict, capabilities, findings } = report;
  const rest = findings.length - MAX_FINDINGS;
  return {
    verdict,
    origin,
    capabilities,
    findings: findings
      .slice(0, MAX_FINDINGS)
      .map(({ rule, severity, file, line, message }) => ({ rule, severity, file, line, message })),
    ...(rest > 0 && { moreFindings: rest }),
  };
}
