export {
  type AgentCard,
  type AgentDomain,
  type AgentRole,
  type AgentService,
  type AgentTrust,
  requireAgentCard,
} from './agent/card/agent-card.ts'
export { type BodyBounds, boundedBytes, boundedParts } from './bounded-bytes.ts'
export { canonicalBytes, contentAddress, registrationFile } from './agent/card/registration-file.ts'
export {
  findAgents,
  type FindAgentsOptions,
  type FoundAgent,
  type FoundAgents,
  getAgent,
  type AgentIdentity,
  type GetAgentOptions,
} from './agent/lookup/read-agents.ts'
export { identityRegistries, type RegistryForm, type RegistryRow } from './agent/lookup/identity-registries.ts'
export type { PublishedFile, PublishedService, FileStatus } from './agent/lookup/read-agent-file.ts'
export {
  pinCard,
  type PinOptions,
  type PinRequest,
  type PinService,
  pinata,
  postForCid,
  type CidRequest,
} from './agent/card/pin-card.ts'
export { requestGrant, type Grant, type GrantOptions } from './gas/request-grant.ts'
export { planRegistration, type PlanOptions, type RegistrationPlan } from './agent/registration/plan-registration.ts'
export { registeredAgentIn, type AwaitedRegistration } from './agent/registry/identity-registry.ts'
export type {
  IpfsMode,
  RegistrationAttempt,
  RegistrationMethod,
  RegistrationProgress,
} from './agent/registration/registration.ts'
export { withDeadline } from './with-deadline.ts'
export type { AmmDeployment, Chain, ChainToken, PriceSources, ReferencePool, UsdFeed, ChainFacts } from './chain.ts'
export { chains, findChain } from './chains.ts'
export {
  journalEntryJson,
  type JournalEntryJson,
  type JournaledOperation,
  type Journal,
  type JournalEntry,
  type JournalFacts,
  type JournalState,
  type NewJournalEntry,
} from './journal.ts'
export { createMemoryJournal } from './memory-journal.ts'
export { Secret } from './secret.ts'
export { createMutex } from './sender/mutex.ts'
export { createSender, type Sender, type SenderOptions, type SingleReplacement } from './sender.ts'
export type { SentEntry, PrivateRoute } from './sender/broadcast-entry.ts'
export { boundedTip, type Fees, feesNow, type FeesNow } from './sender/fees.ts'
export type { Confirmation, ConfirmOptions } from './sender/confirm-entry.ts'
export type { Proposal, Replacement, ReplacementRules } from './sender/replace-entry.ts'
export { isNeverMined, isNoOp } from './sender/entry-state.ts'
export { takerIn, type Taking, transactionsIn } from './sender/settle.ts'
export type { SignRequest, TransactionSigner } from './sender/sign-request.ts'
export type { AuthorizationToSign, Signer } from './signer.ts'
export {
  type IncludedOperation,
  type OperationInReceipt,
  operationInReceipt,
  type Sighting,
} from './user-operation/look-for-operation.ts'
export type { Offer, OperationCall } from './user-operation/open-bundler.ts'
export {
  openUserOperations,
  type OperationSponsors,
  type UserOperations,
  type UserOperationsOptions,
} from './user-operation/open-user-operations.ts'
export type { Followed } from './user-operation/run-user-operation.ts'
export type { SignedUserOperation } from './user-operation/signed-user-operation.ts'
export { urlCredentials, type UrlCredentials } from './service-urls.ts'
export { WalletError, type WalletErrorCode } from './wallet-error.ts'
export { walletErrorTable, walletResultTable, type WalletResultCode } from './wallet-error-table.ts'
