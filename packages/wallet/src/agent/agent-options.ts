import { option, type ChecksOf } from '../require-options.ts'
import { list, oneOf } from '../shape.ts'
import type { FindAgentsOptions } from './lookup/find-agents.ts'
import type { GetAgentOptions } from './lookup/get-agent.ts'
import type { PlanOptions } from './registration/plan-registration.ts'
import type { AgentRegistrationConfig, GasOptions } from './registration/registration.ts'
import { roleTemplates } from './card/build-agent-card.ts'
import type { AgentUpdateConfig } from './update-agent.ts'

/** Of `planRegistration`, `registerAgent` and `updateAgent`. What a card says is looked at with the card. */
const cardOptions = {
  name: option.text,
  description: option.text,
  role: oneOf(...Object.keys(roleTemplates)),
  mcpEndpoint: option.text,
  a2aEndpoint: option.text,
  image: option.text,
  domains: option.any,
  services: option.any,
  trust: option.any,
  metadata: option.any,
  ipfsMode: oneOf('proxy', 'pinata', 'inline'),
  apiUrl: option.plainUrl,
  pinningJwt: option.secret,
  pinningUrl: option.plainUrl,
  env: option.record,
  fetch: option.function,
  onProgress: option.function,
  signal: option.signal,
}

const placeOptions = { registry: option.registry, chains: option.chains }

const gasOptions: ChecksOf<GasOptions> = {
  tiers: list(4, oneOf('sponsored', 'wallet', 'faucet', 'manual')),
  bundlerUrl: option.url,
  paymasterUrl: option.url,
  paymasterContext: option.record,
  allowDelegationTo: option.address,
  sponsoredWaitMs: option.durationMs,
  manualWaitMs: option.durationMs,
  maxFeeWei: option.feeWei,
}

const sendingOptions = {
  ...cardOptions,
  ...placeOptions,
  chainId: option.chainId,
  resume: option.text,
  gas: option.within(gasOptions),
  journal: option.journal,
  records: option.having('load', 'save', 'find'),
  now: option.function,
  sleep: option.function,
  loadIdentitySdk: option.function,
}

const readingOptions = {
  ...placeOptions,
  rpcUrls: option.rpcUrls,
  client: option.having('request'),
}

export const registrationChecks: ChecksOf<AgentRegistrationConfig> = { ...sendingOptions, force: option.flag }

export const updateChecks: ChecksOf<AgentUpdateConfig> = {
  ...sendingOptions,
  agentId: option.text,
  replace: option.flag,
  gatewayUrl: option.url,
}

export const planChecks: ChecksOf<PlanOptions> = {
  ...cardOptions,
  ...readingOptions,
  chainId: option.chainId,
  owner: option.address,
  appId: option.orNull(option.appId),
  pin: option.flag,
}

export const agentChecks: ChecksOf<GetAgentOptions> = {
  ...readingOptions,
  agentId: option.text,
  gatewayUrl: option.url,
  env: option.record,
  fetch: option.function,
  signal: option.signal,
}

export const ownerChecks: ChecksOf<FindAgentsOptions> = {
  ...readingOptions,
  chainId: option.chainId,
  owner: option.address,
}
