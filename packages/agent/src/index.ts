export type { Agent, AgentEvent, AgentOptions, TokenUse, Turn } from "./conversation/agent-options.ts";
export {
  type OpenTranscript,
  openTranscript,
  readTranscript,
  type Transcript,
} from "./conversation/transcript.ts";
export { type ModelSettings, openModel } from "./model/open-model.ts";
export { replayModel } from "./model/replay-model.ts";
export { openAgent } from "./open-agent.ts";
export { commandTool } from "./tools/command-tool.ts";
export { fileTools } from "./tools/file-tools.ts";
export { createPermissions, type PermissionOptions, type Permissions } from "./tools/permissions.ts";
