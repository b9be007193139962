export type { McpPlace } from "./client/mcp-client.ts";
export { type McpSourceOptions, mcpSource } from "./client/mcp-source.ts";
export type { McpCommand } from "./client/stdio-transport.ts";
export { type ServerCheck, type ServerReport, verifyServer } from "./client/verify-server.ts";
