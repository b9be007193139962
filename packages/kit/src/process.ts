export { OutputCapture } from "./process/output-capture.ts";
export { createLimitMark, type LimitMark } from "./process/process-mark.ts";
export type {
  CapturedOutput,
  ProcessDescriptor,
  ProcessRequest,
  ProcessResult,
} from "./process/process-request.ts";
export { runProcess } from "./process/run-process.ts";
