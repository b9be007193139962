import { userInfo } from "node:os";
import { errorCode } from "@skillet/kit/errors";

/** The operating system's name for whoever runs this process, or `uid:1000` where it has none. */
export function auditActor(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // Containers and sandboxes often run a user without a line in the password file.
    if (errorCode(error) !== "ERR_SYSTEM_ERROR") throw error;
    return `uid:${process.getuid?.() ?? "unknown"}`;
  }
}
