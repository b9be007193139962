export { createLimitMark, type LimitMark } from "./limit-mark.ts";
export { OutputCapture } from "./output-capture.ts";
export type { ProcessDescriptor, ProcessRequest } from "./process-request.ts";
export type { CapturedOutput, ProcessResult } from "./process-result.ts";
export { runProcess } from "./run-process.ts";
