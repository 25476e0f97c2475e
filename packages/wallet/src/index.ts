export {
  type AgentCard,
  type AgentDomain,
  type AgentRole,
  type AgentService,
  type AgentTrust,
  requireAgentCard,
} from './agent/card/agent-card.ts'
export type { AgentCardOptions } from './agent/card/build-agent-card.ts'
export { canonicalBytes } from './agent/card/canonical-bytes.ts'
export { contentAddress } from './agent/card/canonical-bytes.ts'
export { createFileRegistrationRecords } from './agent/registration/file-registration-records.ts'
export { findAgents } from './agent/lookup/find-agents.ts'
export type { FindAgentsOptions, FoundAgent, FoundAgents } from './agent/lookup/find-agents.ts'
export { getAgent } from './agent/lookup/get-agent.ts'
export type { AgentIdentity, GetAgentOptions } from './agent/lookup/get-agent.ts'
export { identityRegistries } from './agent/lookup/identity-registries.ts'
export type { RegistryForm, RegistryRow } from './agent/lookup/identity-registries.ts'
export { linkRegistration, type LinkRegistrationConfig } from './agent/registration/link-registration.ts'
export {
  createMemoryRegistrationRecords,
  type RegistrationMatter,
  type RegistrationRecord,
  type RegistrationRecords,
} from './agent/registration/registration-records.ts'
export type { RegistryToRead } from './agent/lookup/open-registry.ts'
export type { OwnedAgent } from './agent/lookup/owned-agents.ts'
export type { PublishedFile, PublishedService } from './agent/lookup/parse-agent-file.ts'
export { planRegistration } from './agent/registration/plan-registration.ts'
export type { PlanOptions, RegistrationPlan } from './agent/registration/plan-registration.ts'
export type { AgentFileOptions, FileStatus } from './agent/lookup/read-agent-file.ts'
export { registeredAgentIn } from './agent/lookup/registered-agent-in.ts'
export type { AwaitedRegistration } from './agent/lookup/registered-agent-in.ts'
export { registrationFile } from './agent/card/registration-file.ts'
export type { RegistrationFile, RegistrationService } from './agent/card/registration-file.ts'
export { registerAgent } from './agent/register-agent.ts'
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
export { updateAgent } from './agent/update-agent.ts'
export type {
  AgentUpdateConfig,
  DeferredUpdate,
  PendingUpdate,
  UpdatedAgent,
  UpdateResult,
} from './agent/update-agent.ts'
export type { AmmDeployment, Chain, ChainToken, PriceSources, ReferencePool, UsdFeed } from './chain.ts'
export { chains, findChain } from './chains.ts'
export { createFileJournal } from './file-journal.ts'
export type { FileJournal, FileJournalOptions } from './file-journal.ts'
export { journalEntryJson, type JournalEntryJson } from './journal.ts'
export type { Journal, JournalEntry, JournalFacts, JournalState, NewJournalEntry, Submission } from './journal.ts'
export { createMemoryJournal } from './memory-journal.ts'
export {
  type CallBatch,
  type CallBatches,
  createFileCallBatches,
  createMemoryCallBatches,
} from './provider/calls/call-batches.ts'
export type { SponsorOptions } from './provider/calls/calls-context.ts'
export type { Capabilities } from './provider/calls/calls-capabilities.ts'
export type { CallsReceipt, CallsStatus } from './provider/calls/calls-status.ts'
export { createEIP1193Provider } from './provider/create-eip1193-provider.ts'
export type { EIP1193Provider, ProviderOptions } from './provider/create-eip1193-provider.ts'
export { ProviderRpcError } from './provider/provider-rpc-error.ts'
export { Secret } from './secret.ts'
export type { SentEntry } from './sender/broadcast-entry.ts'
export type { PrivateRoute } from './sender/offer-entry.ts'
export type { Sender, SenderOptions, SingleReplacement } from './sender.ts'
export type { Confirmation, ConfirmOptions } from './sender/confirm-entry.ts'
export type { Proposal, Replacement, ReplacementRules } from './sender/replacement-rules.ts'
export type { SignRequest, TransactionSigner } from './sender/sign-request.ts'
export { ServiceWallet } from './service-wallet.ts'
export type {
  CommonWalletConfig,
  LocalWalletConfig,
  ManagedWalletConfig,
  ServiceWalletConfig,
  BackendWalletConfig,
  SignerWalletConfig,
  WalletMemory,
} from './service-wallet.ts'
export { signIn } from './sign-in/sign-in.ts'
export type { SignedIn, SignInOptions, SigningWallet } from './sign-in/sign-in.ts'
export type { AuthorizationToSign, Signer, SigningOptions } from './signer.ts'
export { askPassphrase } from './signers/ask-passphrase.ts'
export type { AskPassphraseOptions } from './signers/ask-passphrase.ts'
export type { Environment, KeystorePassphrase } from './signers/passphrase.ts'
export type { AuthorizeRequest } from './signers/managed/auth-key.ts'
export { createManagedSigner } from './signers/managed-signer.ts'
export type { ManagedSignerConfig } from './signers/managed-signer.ts'
export { openKeystore } from './signers/open-keystore.ts'
export { createRemoteSigner } from './signers/remote-signer.ts'
export type { RemoteSignerConfig } from './signers/remote-signer.ts'
export { writeKeystore } from './signers/write-keystore.ts'
export type { WriteKeystoreOptions } from './signers/write-keystore.ts'
export { revokeDelegation } from './user-operation/revoke-delegation.ts'
export type { Revocation, RevokeDelegationOptions, RevokingWallet } from './user-operation/revoke-delegation.ts'
export type { OperatingWallet, UserOperationProgress, OperationStep } from './user-operation/open-operation.ts'
export type { SendUserOpOptions, UserOperationResult } from './user-operation/user-operation-result.ts'
export type {
  SignedUserOperation,
  UserOperationRecord,
  WireUserOperation,
} from './user-operation/signed-user-operation.ts'
export { WalletError } from './wallet-error.ts'
export {
  walletErrorTable,
  type WalletErrorRow,
  walletResultTable,
  type WalletResultCode,
} from './wallet-error-table.ts'
export type { Json, WalletErrorArguments, WalletErrorCode, WalletErrorOptions } from './wallet-error.ts'
