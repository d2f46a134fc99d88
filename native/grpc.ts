// All imports from other packages. The build bundles them into one file (tools/build.mjs), so this package does not depend on
// them and the process starts quickly.

export {
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
export { ConverterService } from "@pulumi/pulumi/proto/converter_grpc_pb";
export * as converter from "@pulumi/pulumi/proto/converter_pb";
export { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
export * as engine from "@pulumi/pulumi/proto/engine_pb";
export * as plugin from "@pulumi/pulumi/proto/plugin_pb";
export { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
export * as proto from "@pulumi/pulumi/proto/provider_pb";
export { Status } from "@pulumi/pulumi/proto/status_pb";
export { Any } from "google-protobuf/google/protobuf/any_pb";
export { Empty } from "google-protobuf/google/protobuf/empty_pb";
export { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
