import { registerAgent, updateAgent, type UpdateResult } from './register-agent.ts'
import type { FoundAgents, AgentIdentity } from './lookup/read-agents.ts'
import type { RegistrationPlan } from './registration/plan-registration.ts'
import type { GasOptions, RegistrationResult } from './registration/registration.ts'
import type { AgentRegistrationConfig, ResumedRegistration } from '../index.ts'
import { createEIP1193Provider } from '../provider/create-eip1193-provider.ts'
import { ServiceWallet } from '../service-wallet.ts'
import type { Revocation } from '../user-operation/revoke-delegation.ts'

declare const text: string
const wallet = new ServiceWallet({ mode: 'local', privateKey: text, chainId: 31337 })

// An address comes out of an environment or a file, where it is text; whether it is one is looked at when it is used.
void registerAgent(wallet, { name: 'Ada', role: 'vault_manager', registry: { identity: text } })
// @ts-expect-error but nothing else than text
void registerAgent(wallet, { name: 'Ada', role: 'vault_manager', registry: { identity: 1 } })

// Programs written when it had this name compile still.
declare const named: ResumedRegistration
void registerAgent(wallet, named)
declare const either: ResumedRegistration | AgentRegistrationConfig
void registerAgent(wallet, either)

// Settings that may be missing are handed on as they come, `undefined` included.
declare const setting: string | undefined
const settings = { apiUrl: setting, pinningJwt: setting, pinningUrl: setting, registry: { identity: setting } } as const
const sayings = { name: setting, description: setting, mcpEndpoint: setting, a2aEndpoint: setting, image: setting }
const gas = { bundlerUrl: setting, paymasterUrl: setting }
void registerAgent(wallet, {
  ...settings,
  ...sayings,
  role: 'vault_manager',
  ipfsMode: undefined,
  resume: setting,
  gas,
})
void updateAgent(wallet, { ...settings, ...sayings, agentId: text, gatewayUrl: setting, resume: setting, gas })
void new ServiceWallet({ mode: 'local', privateKey: text, appId: setting, chainId: undefined })
void wallet.sendUserOp({ target: '0x', data: '0x', bundlerUrl: setting, paymaster: setting })
void createEIP1193Provider(wallet, { sponsor: gas, journal: undefined, chainId: undefined, env: undefined })
type Optional<Options> = {
  readonly [Name in keyof Options as object extends Pick<Options, Name> ? Name : never]: undefined
}
declare const unset: Optional<AgentRegistrationConfig>
void registerAgent(wallet, { ...unset, role: 'vault_manager' })
declare const unsetGas: Optional<GasOptions>
void registerAgent(wallet, { ...unset, role: 'vault_manager', gas: unsetGas })

/** What `JSON.stringify` writes and `JSON.parse` gives back; a bigint is none of it. */
type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [member: string]: Json }
type Satisfies<Wanted, Given extends Wanted> = Given

export type Results = Satisfies<
  Json,
  RegistrationResult | UpdateResult | RegistrationPlan | AgentIdentity | FoundAgents | Revocation
>
// @ts-expect-error a bigint would make JSON.stringify throw
export type Refused = Satisfies<Json, { readonly amountWei: bigint }>
