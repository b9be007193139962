export type { McpPlace } from "./client/mcp-client.ts";
export { type McpSourceOptions, mcpSource } from "./client/mcp-source.ts";
