/*
 * base/error.ts: every exception of pinfold's own. What a script does wrong is in its result, never
 * here.
 */

/** The base of the exceptions below. */
export class PinfoldError extends Error {
  override name = "PinfoldError";
}

/** An argument, option, policy, schema or JSON text is wrong. */
export class InvalidError extends PinfoldError {
  override name = "InvalidError";
}

/** A capability, constraint or policy that cannot be accepted. Nothing is ever ignored. */
export class CapabilityError extends InvalidError {
  override name = "CapabilityError";
}

/** Not possible now: a run is on, no run is on, the call was answered already. */
export class StateError extends PinfoldError {
  override name = "StateError";
}

/** The sandbox was given up: its kernel failed. Make another one. */
export class DeadError extends PinfoldError {
  override name = "DeadError";
}

/** This build or this host cannot do that; the message says what can. */
export class UnsupportedError extends PinfoldError {
  override name = "UnsupportedError";
}

/**
 * A snapshot that is cut short, altered, from another build of pinfold, or of more than these
 * limits allow.
 */
export class SnapshotError extends PinfoldError {
  override name = "SnapshotError";
}

/** A file operation failed inside the sandbox; `errno` is Linux's number, `code` its name. */
export class FileError extends PinfoldError {
  override name = "FileError";
  readonly code: string;
  readonly errno: number;
  readonly path: string;
  constructor(message: string, code: string, errno: number, path: string) {
    super(message);
    this.code = code;
    this.errno = errno;
    this.path = path;
  }
}

/**
 * What a handler throws to fail its call with exactly this text. With "denied" the guest sees a
 * CapabilityError.
 */
export class ToolError extends PinfoldError {
  override name = "ToolError";
  readonly code: "failed" | "invalid" | "timeout" | "denied";
  constructor(message: string, code: "failed" | "invalid" | "timeout" | "denied" = "failed") {
    super(message);
    this.code = code;
  }
}

/** A replay did something else than the recording; the message has both. */
export class ReplayError extends PinfoldError {
  override name = "ReplayError";
}

/**
 * A trace that is altered, cut short, or of another build of pinfold, or lacks a result that was left
 * out of it.
 */
export class TraceError extends ReplayError {
  override name = "TraceError";
}

/** More than a bound allows: of a replay, or of one call that is no run. */
export class BoundError extends PinfoldError {
  override name = "BoundError";
}
