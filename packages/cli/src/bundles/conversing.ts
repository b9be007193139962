// The agent and its SDK; built as a separate file.
export {
  commandTool,
  createPermissions,
  fileTools,
  openAgent,
  openModel,
  openTranscript,
  readTranscript,
  replayModel,
} from "@skillet/agent";
