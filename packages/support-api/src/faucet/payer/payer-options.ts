import type { Store } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { FaucetLog } from '../faucet-log.ts'

/** What paying the claims of one chain works with. */
export type PayerOptions = {
  readonly chain: Chain
  readonly client: PublicClient
  /** Whether every endpoint that answered speaks for another chain. */
  readonly isWrongChain: () => boolean
  readonly account: PrivateKeyAccount
  readonly store: Pick<Store, 'claims' | 'journal' | 'leases'>
  readonly holder: string
  readonly log: FaucetLog
  readonly now: () => number
}
