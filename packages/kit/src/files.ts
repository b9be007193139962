export { type LockReading, readLock } from "./files/lock-owner.ts";
export { type FileStamp, readInto, stampOf, withRegularFile } from "./files/open-regular-file.ts";
export { canonicalPath, isInside, leadsNowhere, resolveLinks } from "./files/paths.ts";
export {
  identifyProcess,
  isProcessGone,
  type ProcessIdentity,
  signalReaches,
} from "./files/process-identity.ts";
export { readBoundedFile } from "./files/read-bounded-file.ts";
export { releaseLock, tryAcquireLock } from "./files/try-acquire-lock.ts";
export { withFileLock } from "./files/with-file-lock.ts";
export {
  ensureHome,
  keepOwnerAndMode,
  syncDirectory,
  writeAtomic,
  writeSynced,
} from "./files/write-atomic.ts";
