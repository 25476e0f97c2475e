export {
  type AgentCard,
  type AgentDomain,
  type AgentRole,
  type AgentService,
  type AgentTrust,
  requireAgentCard,
} from './agent/card/agent-card.ts'
export { type BodyBounds, boundedBytes, boundedParts } from './bounded-bytes.ts'
export { canonicalBytes } from './agent/card/canonical-bytes.ts'
export { contentAddress } from './agent/card/canonical-bytes.ts'
export { findAgents } from './agent/lookup/find-agents.ts'
export type { FindAgentsOptions, FoundAgent, FoundAgents } from './agent/lookup/find-agents.ts'
export { getAgent } from './agent/lookup/get-agent.ts'
export type { AgentIdentity, GetAgentOptions } from './agent/lookup/get-agent.ts'
export { identityRegistries } from './agent/lookup/identity-registries.ts'
export type { RegistryForm, RegistryRow } from './agent/lookup/identity-registries.ts'
export type { PublishedFile, PublishedService } from './agent/lookup/parse-agent-file.ts'
export {
  pinCard,
  type PinOptions,
  type PinRequest,
  type PinService,
  pinata,
  postForCid,
  type CidRequest,
} from './agent/card/pin-card.ts'
export { requestGrant } from './gas/request-grant.ts'
export type { Grant, GrantOptions } from './gas/request-grant.ts'
export { planRegistration } from './agent/registration/plan-registration.ts'
export type { PlanOptions, RegistrationPlan } from './agent/registration/plan-registration.ts'
export type { FileStatus } from './agent/lookup/read-agent-file.ts'
export { registeredAgentIn } from './agent/lookup/registered-agent-in.ts'
export type { AwaitedRegistration } from './agent/lookup/registered-agent-in.ts'
export { registrationFile } from './agent/card/registration-file.ts'
export type {
  IpfsMode,
  RegistrationAttempt,
  RegistrationMethod,
  RegistrationProgress,
} from './agent/registration/registration.ts'
export { withDeadline } from './with-deadline.ts'
export type { AmmDeployment, Chain, ChainToken, PriceSources, ReferencePool, UsdFeed, ChainFacts } from './chain.ts'
export { chains, findChain } from './chains.ts'
export { journalEntryJson, type JournalEntryJson } from './journal.ts'
export type {
  JournaledOperation,
  Journal,
  JournalEntry,
  JournalFacts,
  JournalState,
  NewJournalEntry,
} from './journal.ts'
export { createMemoryJournal } from './memory-journal.ts'
export { Secret } from './secret.ts'
export { createMutex } from './sender/mutex.ts'
export { createSender } from './sender.ts'
export type { SentEntry } from './sender/broadcast-entry.ts'
export type { PrivateRoute } from './sender/offer-entry.ts'
export type { Sender, SenderOptions, SingleReplacement } from './sender.ts'
export { boundedTip } from './sender/raised-fees.ts'
export { feesNow } from './sender/fees-now.ts'
export type { FeesNow } from './sender/fees-now.ts'
export type { Fees } from './sender/raised-fees.ts'
export type { Confirmation, ConfirmOptions } from './sender/confirm-entry.ts'
export type { Proposal, Replacement, ReplacementRules } from './sender/replacement-rules.ts'
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
export type { Offer } from './user-operation/open-bundler.ts'
export type { OperationCall } from './user-operation/open-operation.ts'
export {
  openUserOperations,
  type OperationSponsors,
  type UserOperations,
  type UserOperationsOptions,
} from './user-operation/open-user-operations.ts'
export type { Followed } from './user-operation/run-user-operation.ts'
export type { SignedUserOperation } from './user-operation/signed-user-operation.ts'
export { urlCredentials, type UrlCredentials } from './service-urls.ts'
export { WalletError } from './wallet-error.ts'
export { walletErrorTable, walletResultTable, type WalletResultCode } from './wallet-error-table.ts'
export type { WalletErrorCode } from './wallet-error.ts'
