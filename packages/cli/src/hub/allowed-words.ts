import type { LockEntry, PlanItem } from "@skillet/hub";

/** What a plugin may run, in words. */
export function allowedWords(allowed: LockEntry["allowed"]): string {
  const state = (isOn: boolean | undefined): string => (isOn === true ? "on" : "off");
  return `hooks ${state(allowed?.hooks)}, MCP servers ${state(allowed?.mcpServers)}`;
}

/** For each plugin that was installed with parts that stay off: how they are turned on. */
export function allowAdvice(
  items: readonly PlanItem[],
  command: (words: string) => string,
): readonly string[] {
  return items.flatMap(({ name, action, candidate, entry }): readonly string[] => {
    const { parts } = candidate;
    if (action === "unchanged" || parts === undefined) return [];
    const hasHooks = parts.hooks.length > 0 && entry.allowed?.hooks !== true;
    const hasServers = parts.mcpServers.length > 0 && entry.allowed?.mcpServers !== true;
    if (!hasHooks && !hasServers) return [];
    const what = [...(hasHooks ? ["hooks"] : []), ...(hasServers ? ["MCP servers"] : [])].join(" and ");
    const flags = [...(hasHooks ? ["--hooks"] : []), ...(hasServers ? ["--mcp"] : [])].join(" ");
    return [`The ${what} of ${name} are off. To turn them on: ${command(`allow ${name} ${flags}`)}`];
  });
}
