export type {
  AccountOperator,
  AgentOperator,
  ConsumptionSessions,
  FirstAccount,
  PasswordLinkRequest,
  PlanChange,
  RunningService,
  ServiceContext,
  ServiceDefinition,
  StoreAdapters,
} from './service/definition.js';
export type { ListedSigningKey, SigningKeyChange, SigningKeyOperator } from './service/signing-key-operator.js';
export { joinEmbedded, openEmbedded } from './adapters/embedded.js';
export type { EmbeddedBackends, SharedBackends } from './adapters/embedded.js';
export type { Backends } from './adapters/backends.js';
export { kafkaCredentials } from './adapters/kafka-credentials.js';
export { hasOneOf } from './credentials/authenticator.js';
export { accessBindingHash, boundMembers } from './credentials/access-binding.js';
export { denialTokens } from './credentials/denial-tokens.js';
export type { DenialClaims, DenialTokens } from './credentials/denial-tokens.js';
export { sessionTokens } from './credentials/session-tokens.js';
export type { SessionTokens } from './credentials/session-tokens.js';
export { HttpRoute, Input } from './hosting/decorators.js';
export { resolveAll } from './outbound/checked-address.js';
export type { Address, OutboundNetwork } from './outbound/checked-address.js';
export { MAX_ANSWER_BYTES, sendHttp } from './outbound/send-http.js';
export type { Sent } from './outbound/send-http.js';
export { sendTls } from './outbound/send-tls.js';
export type { TlsIdentity } from './outbound/send-tls.js';
export { readPublicUrl } from './outbound/public-url.js';
export { readTlsAddress } from './outbound/tls-address.js';
export { ownAddress } from './peers/own-address.js';
export { ownFetch } from './peers/own-fetch.js';
export { remotePeer } from './peers/remote-peer.js';
export type { PeerAddress } from './peers/remote-peer.js';
export { run } from './process/run.js';
export { samplesOf } from './process/process-view.js';
export type { ProcessState, ProcessView, Sample } from './process/process-view.js';
export { GRACE_MS } from './process/running-process.js';
export type { RunningProcess } from './process/running-process.js';
export { PeerRegistry } from './service/peer-registry.js';
export type { Restored, RestoreContext, RestoreOptions } from './service/restored.js';
export { serveThread } from './service/serve-thread.js';
export type { ServingThread } from './service/serve-thread.js';
export { actRecorder } from './trail/act-recorder.js';
export type { ActRecorder } from './trail/act-recorder.js';
export { contextFor } from './service/start-services.js';
export type { ThreadContext } from './service/start-services.js';
