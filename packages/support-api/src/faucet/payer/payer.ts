import { type Lease, type Store, StoreError } from '@svc/store'
import { createBell, leadChain, type LeadState, type PayerOptions } from './lead-chain.ts'
import type { HeldUpBy } from './open-round.ts'

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
  const keyWatch = watchKey(options, state)
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = betweenTriesMs
      try {
        const refused = await holding(options, (isHeld) =>
          leadChain({ ...options, isHeld, bell, state, signal: stopping.signal }),
        )
        if (keyWatch(refused)) waitMs = afterFailureMs
      } catch (error) {
        const isLost = error instanceof StoreError && error.code === 'LEASE_HELD'
        if (!isLost) log.warn('faucet.interrupted', { chainId: chain.id, err: error })
        if (!isLost) waitMs = afterFailureMs
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

const betweenTriesMs = 500
const afterFailureMs = 3_000

type LeaseName = Parameters<Store['leases']['acquire']>[0]

/** The first keeps replicas apart that have different keys, the second databases that are paid from the same key. */
function leasesOf({ chain, account, holder }: PayerOptions) {
  const ofChain: LeaseName = { name: `faucet:${chain.id}`, holder, within: 'store' }
  const ofKey: LeaseName = { name: `writer:${chain.id}:${account.address.toLowerCase()}`, holder, within: 'database' }
  return [ofChain, ofKey] as const
}

/** Works while both leases are held, and gives them up after it; or says which one another has. */
async function holding(options: PayerOptions, work: (isHeld: () => boolean) => Promise<void>): Promise<Refused | null> {
  const [ofChain, ofKey] = leasesOf(options)
  const held: Lease[] = []
  const take = async (wanted: LeaseName): Promise<StoreError | null> => {
    try {
      held.push(await options.store.leases.acquire(wanted))
      return null
    } catch (error) {
      if (error instanceof StoreError && error.code === 'LEASE_HELD') return error
      throw error
    }
  }
  try {
    const another = await take(ofChain)
    if (another !== null) return { lease: 'chain', error: another }
    const elsewhere = await take(ofKey)
    if (elsewhere !== null) return { lease: 'key', error: elsewhere }
    await work(() => held.every((lease) => lease.isHeld()))
    return null
  } finally {
    for (const lease of held.toReversed()) await lease.release()
  }
}

type Refused = { readonly lease: 'chain' | 'key'; readonly error: StoreError }

/**
 * Notes whether the key is at work outside of this deployment, which then pays nothing. Once may be a leader that is just
 * ending; and replicas that all meet it get in each other's way, so a few refusals of the other lease take nothing back.
 */
function watchKey({ chain, account, log }: PayerOptions, state: LeadState): (refused: Refused | null) => boolean {
  let [times, others] = [0, 0]
  return (refused) => {
    if (refused === null) {
      times = 0
      return false
    }
    if (refused.lease === 'key') {
      ;[times, others] = [times + 1, 0]
      const facts = { chainId: chain.id, signer: account.address, err: refused.error }
      if (times === 2) log.error('faucet.key-elsewhere', facts)
    } else {
      others += 1
      if (others >= mostInTheWay) times = 0
    }
    state.holdsUp = times > 1 ? 'signer' : null
    return times > 1
  }
}

const mostInTheWay = 5
