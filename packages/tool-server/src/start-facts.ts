import type { Address } from 'viem'
import type { Config } from './config/config-shape.ts'
import type { Policy } from '@svc/engine'

/** What a server is at its start, for whoever looks whether it is the one they meant. No secrets. */
export function startFacts({ config, wallet, policyFile, policy }: Started): StartFacts {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return Object.freeze({
    mode: config.production ? 'production' : 'development',
    wallet: wallet ?? 'none',
    policy: policyFile ?? 'defaults',
    limitsUsd: { perTransaction, perSession, daily, approvalAbove: policy.approvalThresholdUsd },
    allowlist: policy.allowlist.mode,
  })
}

export type StartFacts = {
  /** `development` is whatever is not production. */
  readonly mode: 'production' | 'development'
  /** The address that signs, or `none`. */
  readonly wallet: Address | 'none'
  /** The file, or `defaults`. */
  readonly policy: string
  readonly limitsUsd: {
    readonly perTransaction: string
    readonly perSession: string
    readonly daily: string
    /** `null` where nobody is asked. */
    readonly approvalAbove: string | null
  }
  readonly allowlist: Policy['allowlist']['mode']
}

type Started = {
  readonly config: Pick<Config, 'production'>
  /** `null` for a server that signs nothing. */
  readonly wallet: Address | null
  /** `null` where the defaults hold. */
  readonly policyFile: string | null
  readonly policy: Policy
}
