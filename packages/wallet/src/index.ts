export {
  type AgentCard,
  type AgentDomain,
  type AgentRole,
  type AgentService,
  type AgentTrust,
  requireAgentCard,
} from './agent/card/agent-card.ts'
export type { AgentCardOptions } from './agent/card/build-agent-card.ts'
export {
  canonicalBytes,
  contentAddress,
  registrationFile,
  type RegistrationFile,
  type RegistrationService,
} from './agent/card/registration-file.ts'
export { createFileRegistrationRecords } from './agent/registration/file-registration-records.ts'
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
export {
  linkRegistration,
  type LinkRegistrationConfig,
  registerAgent,
  updateAgent,
  type AgentUpdateConfig,
  type DeferredUpdate,
  type PendingUpdate,
  type UpdatedAgent,
  type UpdateResult,
} from './agent/register-agent.ts'
export {
  createMemoryRegistrationRecords,
  type RegistrationMatter,
  type RegistrationRecord,
  type RegistrationRecords,
} from './agent/registration/registration-records.ts'
export type { RegistryToRead } from './agent/lookup/open-registry.ts'
export type { OwnedAgent } from './agent/lookup/owned-agents.ts'
export type { PublishedFile, PublishedService, AgentFileOptions, FileStatus } from './agent/lookup/read-agent-file.ts'
export { planRegistration, type PlanOptions, type RegistrationPlan } from './agent/registration/plan-registration.ts'
export { registeredAgentIn, type AwaitedRegistration } from './agent/registry/identity-registry.ts'
export type {
  AgentRegistrationByToken,
  AgentRegistrationConfig,
  DeferredRegistration,
  GasOptions,
  GasTier,
  IpfsMode,
  PendingRegistration,
  RegisteredAgent,
  RegistrationAttempt,
  RegistrationMethod,
  RegistrationProgress,
  RegistrationResult,
  RegistrationSurroundings,
  RegistryChoice,
  ResumedRegistration,
} from './agent/registration/registration.ts'
export type { AmmDeployment, Chain, ChainToken, PriceSources, ReferencePool, UsdFeed } from './chain.ts'
export { chains, findChain } from './chains.ts'
export { createFileJournal, type FileJournal, type FileJournalOptions } from './file-journal.ts'
export {
  journalEntryJson,
  type JournalEntryJson,
  type Journal,
  type JournalEntry,
  type JournalFacts,
  type JournalState,
  type NewJournalEntry,
  type Submission,
} from './journal.ts'
export { createMemoryJournal } from './memory-journal.ts'
export {
  type CallBatch,
  type CallBatches,
  createFileCallBatches,
  createMemoryCallBatches,
  type SponsorOptions,
} from './provider/calls/calls-context.ts'
export type { Capabilities, CallsReceipt, CallsStatus } from './provider/calls/calls-status.ts'
export {
  createEIP1193Provider,
  type EIP1193Provider,
  type ProviderOptions,
} from './provider/create-eip1193-provider.ts'
export { ProviderRpcError } from './provider/provider-rpc-error.ts'
export { Secret } from './secret.ts'
export type { SentEntry, PrivateRoute } from './sender/broadcast-entry.ts'
export type { Sender, SenderOptions, SingleReplacement } from './sender.ts'
export type { Confirmation, ConfirmOptions } from './sender/confirm-entry.ts'
export type { Proposal, Replacement, ReplacementRules } from './sender/replace-entry.ts'
export type { SignRequest, TransactionSigner } from './sender/sign-request.ts'
export {
  ServiceWallet,
  type CommonWalletConfig,
  type LocalWalletConfig,
  type ManagedWalletConfig,
  type ServiceWalletConfig,
  type BackendWalletConfig,
  type SignerWalletConfig,
  type WalletMemory,
} from './service-wallet.ts'
export { signIn, type SignedIn, type SignInOptions, type SigningWallet } from './sign-in/sign-in.ts'
export type { AuthorizationToSign, Signer, SigningOptions } from './signer.ts'
export {
  askPassphrase,
  type AskPassphraseOptions,
  type Environment,
  type KeystorePassphrase,
} from './signers/passphrase.ts'
export type { AuthorizeRequest } from './signers/managed/open-provider.ts'
export { createManagedSigner, type ManagedSignerConfig } from './signers/managed-signer.ts'
export { openKeystore, writeKeystore, type WriteKeystoreOptions } from './signers/keystore.ts'
export { createRemoteSigner, type RemoteSignerConfig } from './signers/remote-signer.ts'
export {
  revokeDelegation,
  type Revocation,
  type RevokeDelegationOptions,
  type RevokingWallet,
} from './user-operation/revoke-delegation.ts'
export type { OperatingWallet, UserOperationProgress, OperationStep } from './user-operation/open-bundler.ts'
export type { SendUserOpOptions, UserOperationResult } from './user-operation/user-operation-result.ts'
export type {
  SignedUserOperation,
  UserOperationRecord,
  WireUserOperation,
} from './user-operation/signed-user-operation.ts'
export {
  WalletError,
  type Json,
  type WalletErrorArguments,
  type WalletErrorCode,
  type WalletErrorOptions,
} from './wallet-error.ts'
export {
  walletErrorTable,
  type WalletErrorRow,
  walletResultTable,
  type WalletResultCode,
} from './wallet-error-table.ts'
