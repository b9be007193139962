// The agent and its SDK; the build makes it a file of its own.
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
