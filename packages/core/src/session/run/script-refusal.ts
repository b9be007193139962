/** Why a script was not run, in the order in which it is first checked. */
export type ScriptRefusalCode =
  | "script_path_invalid"
  | "script_arguments_invalid"
  | "script_runner_missing"
  | "skill_not_found"
  | "skill_not_activated"
  | "script_not_allowlisted"
  | "script_not_indexed"
  | "resource_not_script"
  | "script_not_file"
  | "script_outside_root"
  | "skill_not_trusted"
  | "script_snapshot_mismatch"
  | "unsupported_runtime"
  | "sandbox_unavailable"
  | "script_denied"
  | "permission_denied"
  | "too_many_runs"
  | "unknown";

/** A script that was not run; nothing of it was. */
export interface ScriptRefusal {
  readonly status: "refused";
  readonly code: ScriptRefusalCode;
  /** What happened, and what to do next. */
  readonly message: string;
}

/** A refusal with its reason. */
export function refuse(code: ScriptRefusalCode, message: string): ScriptRefusal {
  return { status: "refused", code, message };
}

/** Whether something is a refusal and not what was asked for. */
export function isRefusal(value: object): value is ScriptRefusal {
  return "status" in value && value.status === "refused";
}
