import { setTimeout as sleep } from 'node:timers/promises'
import type { Claim, ClaimCap, Claims, Store } from '@svc/store'
import type { PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { FaucetChain, FaucetConfig } from '../config.ts'
import { ApiError } from '../errors.ts'
import { type ClaimDesk, createClaimDesk } from './claim-desk.ts'
import { type FaucetLog, openEndpoints } from './endpoints.ts'
import { createPayer, type Payer } from './payer/payer.ts'

/** Opens the faucet of every chain it serves. Paying begins with `start`, in whichever replica leads a chain. */
export function openFaucet(options: FaucetOptions): Faucet {
  const { config, store, holder, log, now = Date.now } = options
  const account = privateKeyToAccount(keyOf(config))
  const desk = createClaimDesk(store.claims, capsOf(config))
  const chains = config.chains.map((served): OpenFaucetChain => {
    const chain = { ...served.chain, confirmations: confirmationsOf(served.chain) }
    const { client, isWrongChain } = openEndpoints({ chainId: chain.id, rpcUrls: served.rpcUrls, log, now })
    const payer = createPayer({ chain, client, isWrongChain, account, store, holder, log, now })
    return { chain, client, payer }
  })
  return {
    address: account.address,
    desk,
    watch: createSentWatch(store.claims),
    chains: new Map(chains.map((open) => [open.chain.id, open])),
    start: () => chains.forEach(({ payer }) => payer.start()),
    stop: async () => void (await Promise.all(chains.map(({ payer }) => payer.stop()))),
  }
}

type FaucetOptions = {
  readonly config: FaucetConfig
  readonly store: Pick<Store, 'claims' | 'journal' | 'leases'>
  /** Tells a person which process leads. */
  readonly holder: string
  readonly log: FaucetLog
  readonly now?: () => number
}

export type Faucet = {
  readonly address: `0x${string}`
  readonly desk: ClaimDesk
  readonly watch: SentWatch
  readonly chains: ReadonlyMap<number, OpenFaucetChain>
  start(): void
  /** Signs nothing more and gives its chains to another replica. */
  stop(): Promise<void>
}

export type OpenFaucetChain = {
  readonly chain: FaucetChain['chain']
  readonly client: PublicClient
  readonly payer: Payer
}

/** As checked by the configuration. */
function keyOf({ privateKey }: FaucetConfig): `0x${string}` {
  return `0x${privateKey.reveal().replace(/^0x/, '')}`
}

function capsOf({ perAppPerDay, perNetworkPerDay, perChainPerDay }: FaucetConfig): readonly ClaimCap[] {
  return [
    { scope: 'app', claims: perAppPerDay, windowMs: dayMs },
    { scope: 'network', claims: perNetworkPerDay, windowMs: dayMs },
    { scope: 'chain', claims: perChainPerDay, windowMs: dayMs },
  ]
}

const dayMs = 86_400_000

/** A grant is confirmed for good, so it waits for more blocks than the row asks; not where blocks wait for it. */
function confirmationsOf({ confirmations, maxHeadAgeSeconds }: FaucetChain['chain']): number {
  return maxHeadAgeSeconds === null ? confirmations : Math.max(confirmations, leastConfirmations)
}

const leastConfirmations = 3

/**
 * Tells when a claim is on its way, whichever replica pays it: one look at the database for all claims that are waited
 * for, however many they are, and none while nobody waits.
 */
export function createSentWatch(claims: Pick<Claims, 'movedOn'>): SentWatch {
  const waiting = new Map<string, (claim: Claim) => void>()
  let isLooking = false
  const look = async (): Promise<void> => {
    isLooking = true
    while (waiting.size > 0) {
      await sleep(betweenLooksMs)
      // A look that fails is not the last one; who waits gives up by itself.
      const moved = await claims.movedOn([...waiting.keys()]).catch(() => [])
      for (const claim of moved) waiting.get(claim.id)?.(claim)
    }
    isLooking = false
  }
  return {
    async untilSent(claim, forAtMostMs) {
      const sent = new Promise<Claim>((resolve) => {
        waiting.set(claim.id, resolve)
        if (!isLooking) void look()
      })
      const patience = new AbortController()
      const late = sleep(forAtMostMs, claim, { signal: patience.signal, ref: false }).catch(() => claim)
      try {
        return await Promise.race([sent, late])
      } finally {
        waiting.delete(claim.id)
        patience.abort()
      }
    },
  }
}

type SentWatch = {
  /** The claim once it is sent, confirmed or has failed; as it was given when that takes longer. */
  untilSent(claim: Claim, forAtMostMs: number): Promise<Claim>
}

const betweenLooksMs = 150

/** A chain that the faucet serves. Throws `FAUCET_CHAIN_NOT_SUPPORTED`, which names those it does. */
export function requireChain({ chains }: Pick<Faucet, 'chains'>, chainId: number): OpenFaucetChain {
  const open = chains.get(chainId)
  if (open !== undefined) return open
  throw new ApiError('FAUCET_CHAIN_NOT_SUPPORTED', `The faucet does not serve chain ${chainId}.`, {
    details: [{ field: 'chainId', message: 'Not served.', accepted: [...chains.keys()].join(', ') }],
  })
}

/** Where people see a transaction; `null` before there is one, and on chains without an explorer. */
export function explorerUrl({ chain }: Pick<OpenFaucetChain, 'chain'>, txHash: string | null): string | null {
  return chain.explorerUrl === null || txHash === null ? null : `${chain.explorerUrl}/tx/${txHash}`
}
