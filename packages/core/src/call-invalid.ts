import { SkilletError } from "./skillet-error.ts";

/** The error for an argument that is not what its type says: types are gone where hosts are written without them. */
export function callInvalid(what: string, wanted: string): SkilletError {
  return new SkilletError("call-invalid", `${what} is not what the call takes; pass ${wanted}.`, {
    data: { what },
  });
}
