export { guardedBy, INSTRUCTION_PATHS, OBEYED_PATHS, SECRET_PATHS } from "./files/guarded-paths.ts";
export { inHeldFolder } from "./files/in-held-folder.ts";
export { type FileStamp, readChunks, readInto, stampOf, withRegularFile } from "./files/open-regular-file.ts";
export {
  canonicalPath,
  isInside,
  leadsNowhere,
  makeFolders,
  openPlaces,
  otherWriters,
  resolveLinks,
  statusOf,
  unlessUnknown,
} from "./files/paths.ts";
export {
  identifyProcess,
  isProcessGone,
  type ProcessIdentity,
  signalReaches,
} from "./files/process-identity.ts";
export { readBoundedFile } from "./files/read-bounded-file.ts";
export { removeTree } from "./files/remove-tree.ts";
export { releaseLock, tryAcquireLock, withFileLock } from "./files/with-file-lock.ts";
export {
  ensureHome,
  keepOwnerAndMode,
  syncDirectory,
  writeAtomic,
  writeSynced,
} from "./files/write-atomic.ts";
