import type { Address, PublicClient } from 'viem'
import type { RegistrationAttempt, RegistrationSurroundings } from '../agent/registration/registration.ts'
import type { Chain } from '../chain.ts'

/**
 * The faucet tier of `registerAgent`, for whoever sends in a way of his own: where the chain has a faucet and the wallet holds nothing, asks the
 * support API for native currency and waits until it is there, at most a minute. Throws `ABORTED` alone; what the faucet refused stands in the answer.
 */
export async function requestGrant(options: GrantOptions): Promise<Grant> {
  const { chain, owner, client, appId, apiUrl, signal, ...surroundings } = options
  if (chain.faucet !== true || (await client.getBalance({ address: owner })) > 0n) return { status: 'not-asked' }
  const attempts: RegistrationAttempt[] = []
  const warnings: string[] = []
  const given = { env: {}, ...surroundings, ...(apiUrl === undefined ? {} : { apiUrl }), ...(signal && { signal }) }
  const desk = { chain, client, owner, wallet: { appId }, attempts, warnings, options: given, progress: () => {} }
  const { askFaucet } = await import('./ask-faucet.ts')
  if (await askFaucet(desk)) return { status: 'granted' }
  const reason = attempts.findLast((attempt) => attempt.reason !== undefined)?.reason ?? warnings[0]
  return { status: 'refused', reason: reason ?? 'The faucet gave nothing.' }
}

/** Whose wallet, and where the faucet is. */
export type GrantOptions = Pick<RegistrationSurroundings, 'fetch' | 'env' | 'now' | 'sleep'> & {
  readonly chain: Chain
  readonly owner: Address
  readonly client: PublicClient
  /** The faucet asks for it. */
  readonly appId: string | null
  readonly apiUrl?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What became of it; nobody is asked where the chain has no faucet, or the wallet holds something. */
export type Grant =
  | { readonly status: 'not-asked' | 'granted' }
  | { readonly status: 'refused'; readonly reason: string }
