import { type Lease, type Store, StoreError } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createBell } from './bell.ts'
import { leadChain, type LeadState } from './lead-chain.ts'
import type { FaucetLog } from './open-faucet.ts'

/**
 * Pays the claims of one chain, oldest first, while this process leads there: one lease for each signer and chain, over
 * all replicas, which a killed leader gives up at once. The wallet's journalled sender is the outbox: a claim's id is the
 * id of its request, so whoever takes it up goes on with what was signed, and nothing is paid twice.
 */
export function createPayer(options: PayerOptions): Payer {
  const { chain, isWrongChain, log } = options
  const stopping = new AbortController()
  const bell = createBell()
  const state: LeadState = { isLeading: false, holdsUp: null }
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = betweenTriesMs
      try {
        await holding(leasesOf(options), options, (isHeld) =>
          leadChain({ ...options, isHeld, bell, state, signal: stopping.signal }),
        )
      } catch (error) {
        const isTaken = error instanceof StoreError && error.code === 'LEASE_HELD'
        if (isTaken) state.holdsUp = null
        if (!isTaken) log.warn('faucet.interrupted', { chainId: chain.id, err: error })
        if (!isTaken) waitMs = afterFailureMs
      }
      state.isLeading = false
      if (!stopping.signal.aborted) await bell.rung(waitMs)
    }
  }
  return {
    facts() {
      const holdsUp = isWrongChain() ? 'wrong-chain' : state.holdsUp
      return { isLeading: state.isLeading, isDry: holdsUp === 'dry', holdsUp }
    },
    nudge: () => bell.ring(),
    start: () => void (running ??= run()),
    async stop() {
      stopping.abort()
      bell.ring()
      await running
    },
  }
}

export type Payer = {
  facts(): PayerFacts
  /** There may be something to pay. */
  nudge(): void
  start(): void
  /** Signs nothing more, and resolves when the chain is free for another replica. */
  stop(): Promise<void>
}

/** What a replica knows of a chain: one that does not lead there sees little of what holds it up. */
export type PayerFacts = {
  readonly isLeading: boolean
  readonly isDry: boolean
  readonly holdsUp: HeldUpBy | null
}

/**
 * What keeps every claim of a chain waiting.
 *
 * - dry: the faucet has less than a grant and its gas
 * - fees: the gas of a plain transfer costs more than what is given
 * - nonce: the chain does not count what it had mined before
 * - signer: claims are out that another key signed
 * - wrong-chain: the endpoints speak for another chain
 */
export type HeldUpBy = 'dry' | 'fees' | 'nonce' | 'signer' | 'wrong-chain'

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

const betweenTriesMs = 500
const afterFailureMs = 3_000

type LeaseName = Parameters<Store['leases']['acquire']>[0]

/** The first keeps replicas apart that have different keys, the second databases that are paid from the same key. */
function leasesOf({ chain, account, holder }: PayerOptions): readonly LeaseName[] {
  return [
    { name: `faucet:${chain.id}`, holder, within: 'store' },
    { name: `writer:${chain.id}:${account.address.toLowerCase()}`, holder, within: 'database' },
  ]
}

/** Works while all the leases are held, and gives them up after it. Rejects with `LEASE_HELD` where another has one. */
async function holding(
  wanted: readonly LeaseName[],
  { store }: PayerOptions,
  work: (isHeld: () => boolean) => Promise<void>,
): Promise<void> {
  const held: Lease[] = []
  try {
    for (const one of wanted) held.push(await store.leases.acquire(one))
    await work(() => held.every((lease) => lease.isHeld()))
  } finally {
    for (const lease of held.toReversed()) await lease.release()
  }
}
