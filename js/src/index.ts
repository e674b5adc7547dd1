/* index.ts: pinfold for any engine; node.ts and web.ts add where the programs come from. */
export { PendingCall } from "./call.ts";
export {
  BoundError,
  CapabilityError,
  DeadError,
  FileError,
  InvalidError,
  PinfoldError,
  ReplayError,
  SnapshotError,
  StateError,
  ToolError,
  TraceError,
  UnsupportedError,
} from "./base/error.ts";
export type { Expiry, Grant } from "./capability/token.ts";
export { type ImageSource, Images, type Manifest, unpacked } from "./cpu/image.ts";
export { type Content, Files, type ReadOptions } from "./files.ts";
export type { Decision } from "./machine/calls.ts";
export { type HttpOptions, Secret, type SecretOptions } from "./http/http.ts";
export type { CertificateAuthorities } from "./http/transport.ts";
export type { FileInfo } from "./machine/files.ts";
export type { Limits } from "./machine/limits.ts";
export type { Language } from "./machine/run.ts";
export type { Capabilities, Capability, SandboxOptions } from "./options.ts";
export { type OutputChunk, RunStream } from "./stream.ts";
export { Result, type Usage } from "./result.ts";
export {
  type Failure,
  type ForkOptions,
  type OutputListener,
  type RestoreOptions,
  type RunOptions,
  type SnapshotOptions,
} from "./requests.ts";
export {
  type CallContext,
  type Json,
  type JsonSchema,
  type StandardSchema,
  type Tool,
  tool,
  type ToolOptions,
} from "./tool.ts";
export { Sandbox as SandboxOf } from "./sandbox.ts";
export { type Change, type ChangesOptions, Mounted } from "./mount/changes.ts";
export type { MountSource } from "./mount/mounts.ts";
export { Replay, type ReplayOptions } from "./trace/replaying.ts";
export type { RecordTo } from "./trace/sink.ts";
export { RemoteFiles } from "./distant.ts";
