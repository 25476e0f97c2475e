import type { Policy } from '@svc/engine'
import type { SignIns } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { Config } from '../../config/config-shape.ts'

/** What the stages of tokens are opened with. */
export type SignInOptions = {
  readonly signIns: SignIns
  /** `null` where nobody signs in with a wallet. */
  readonly wallets: WalletPlace | null
  readonly oauth: Config['oauth']
  readonly edge: Config['edge']
  /** Fetches the keys of issuers. */
  readonly fetch: typeof fetch
  readonly policies: { latest(): Policy; current(): Promise<Policy> }
  /** Leaves a line in the audit log, where the server has one; rejects where that cannot be written. */
  readonly audit: (event: SignInEvent) => Promise<void>
  /** Where stands what of that is told; `null` for a server without an audit log. */
  readonly recordsIn: string | null
  readonly log: { readonly info: Tell; readonly warn: Tell }
  /** Unix milliseconds. */
  readonly now: () => number
}

export type SignInEvent = Readonly<Record<string, unknown>> & {
  readonly event: 'auth.signed-in' | 'auth.revoked' | 'auth.restored' | 'auth.keys-rotated'
}

type Tell = (event: string, facts?: Readonly<Record<string, unknown>>) => void

export type WalletPlace = {
  readonly chain: Chain
  /** Over endpoints that the operator named: whoever answers there says who is who. */
  readonly client: Pick<PublicClient, 'call' | 'getContractEvents' | 'getBlock'>
}
