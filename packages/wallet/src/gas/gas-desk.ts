import type { Address } from 'viem'
import type { OpenRegistry } from '../agent/lookup/open-registry.ts'
import type {
  AgentRegistrationConfig,
  RegistrationAttempt,
  RegistrationProgress,
} from '../agent/registration/registration.ts'
import type { Journal } from '../journal.ts'
import type { ServiceWallet } from '../service-wallet.ts'

/** What the tiers of gas share while they bring one call to the chain. */
export type GasDesk = GasContext & {
  /** Grows as tiers are tried. */
  readonly attempts: RegistrationAttempt[]
  readonly warnings: string[]
}

export type GasContext = Pick<OpenRegistry, 'chain' | 'client'> & {
  readonly wallet: ServiceWallet
  readonly owner: Address
  readonly journal: Journal
  readonly options: Pick<AgentRegistrationConfig, 'gas' | 'apiUrl' | 'signal' | 'fetch' | 'env' | 'now' | 'sleep'>
  readonly progress: (
    step: RegistrationProgress['step'],
    message: string,
    details?: RegistrationProgress['details'],
  ) => void
}
