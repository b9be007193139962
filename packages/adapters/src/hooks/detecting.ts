// What says which skill a call uses; loaded when a call comes to a file of one.
export { createUseDetector } from "@skillet/core/internal";
