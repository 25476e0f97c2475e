import type { ClaimCap, Store } from '@svc/store'
import type { PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { FaucetChain, FaucetConfig } from '../config.ts'
import { createClaimDesk, type ClaimDesk } from './claim-desk.ts'
import { openEndpoints } from './endpoints.ts'
import type { FaucetLog } from './faucet-log.ts'
import { createPayer, type Payer } from './payer/payer.ts'
import { createSentWatch, type SentWatch } from './payer/sent-watch.ts'

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

export type FaucetOptions = {
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
