import type { Address, Hash } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal } from '../journal.ts'
import type { Signer } from '../signer.ts'

/**
 * Ends the delegation of the wallet's account (EIP-7702: an authorization of the zero address), by a transaction that the
 * wallet pays; it waits for the transaction. Resolves to `none` for an account without a delegation, which costs nothing,
 * and to `pending` when the end is not known in time: call it again then. Operations that were signed and not executed
 * cannot run while the account has no code. Throws `WalletError`: `INSUFFICIENT_FUNDS` naming the amount, `GAS_ABOVE_LIMIT`,
 * `NONCE_CONTENDED` while other transactions of the wallet are out, `RPC_CHAIN_MISMATCH`, `RPC_UNAVAILABLE`, and what the
 * signer throws.
 */
export async function revokeDelegation(
  wallet: RevokingWallet,
  options: RevokeDelegationOptions = {},
): Promise<Revocation> {
  const { runRevocation } = await import('./run-revocation.ts')
  return runRevocation(wallet, options)
}

/** What of a wallet the end of a delegation needs. */
export type RevokingWallet = Pick<Signer, 'getAddress' | 'signTransaction' | 'signAuthorization'> & {
  readonly chainId: number | null
  readonly rpcUrls: Readonly<Record<number, string>>
}

/** Where the delegation ends, and how long its end is waited for (`timeoutMs`; 120 s where it is missing). */
export type RevokeDelegationOptions = {
  /** The wallet's own where it is missing. */
  readonly chainId?: number | undefined
  /** Rows of chains that the table does not have. */
  readonly chains?: readonly Chain[] | undefined
  /** Keeps what was signed. In memory where it is missing: then a crash forgets it. */
  readonly journal?: Journal | undefined
  /** The most wei that its gas may cost; the row of the chain where it is missing. */
  readonly maxFeeWei?: bigint | undefined
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly now?: (() => number) | undefined
}

/** How the end of a delegation stands; `none` where there was no delegation. */
export type Revocation =
  | { readonly status: 'none' }
  | { readonly status: 'revoked'; readonly implementation: Address; readonly txHash: Hash }
  | { readonly status: 'pending'; readonly txHash: Hash }
