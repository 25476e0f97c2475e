import { option, type ChecksOf } from '../require-options.ts'
import { list, oneOf, only } from '../shape.ts'
import type { FindAgentsOptions, GetAgentOptions } from './lookup/read-agents.ts'
import { agentIdForm } from './lookup/open-registry.ts'
import type { PlanOptions } from './registration/plan-registration.ts'
import type { AgentRegistrationConfig, GasOptions, GasTier } from './registration/registration.ts'
import { roleTemplates } from './card/build-agent-card.ts'
import type { AgentUpdateConfig } from './register-agent.ts'

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

const gasTiers = ['sponsored', 'wallet', 'faucet', 'manual'] satisfies GasTier[]

const gasOptions: ChecksOf<GasOptions> = {
  tiers: (value, field, fields) => {
    const isEmpty = Array.isArray(value) && value.length === 0
    if (isEmpty) fields.push({ field, accepted: `one at least of ${gasTiers.join(', ')}` })
    else list(4, oneOf(...gasTiers), ` of ${gasTiers.join(', ')}`)(value, field, fields)
  },
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

const agentId = only(agentIdForm, (value) => typeof value === 'string')

export const registrationChecks: ChecksOf<AgentRegistrationConfig> = { ...sendingOptions, force: option.flag }

export const updateChecks: ChecksOf<AgentUpdateConfig> = {
  ...sendingOptions,
  agentId,
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
  agentId,
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
