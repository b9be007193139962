export { nativeFormat, readProgramHead } from "./process/check-request.ts";
export { OutputCapture } from "./process/output-capture.ts";
export type {
  CapturedOutput,
  ProcessDescriptor,
  ProcessRequest,
  ProcessResult,
} from "./process/process-request.ts";
export { createLimitMark, type LimitMark } from "./process/process-tree.ts";
export { runProcess } from "./process/run-process.ts";
