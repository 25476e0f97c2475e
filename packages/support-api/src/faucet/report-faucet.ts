import { inTime } from '@svc/runtime'
import type { Claims } from '@svc/store'
import { formatEther, type Address } from 'viem'
import type { FaucetConfig } from '../config.ts'
import { grantWei } from './request-grant.ts'
import type { Faucet, OpenFaucetChain } from './open-faucet.ts'
import type { HeldUpBy } from './payer/open-round.ts'

/**
 * What anybody may know of the faucet: no app, no claim and no wallet but its own. Rejects with what the store rejects
 * with; an endpoint that fails or hangs is part of the report.
 */
export async function reportFaucet(options: ReportOptions): Promise<FaucetReport> {
  const { faucet, version, now, config } = options
  const { perAppPerDay, perNetworkPerDay, perChainPerDay } = config
  const chains = await Promise.all([...faucet.chains.values()].map((open) => reportChain(open, options)))
  const serving = chains.filter(({ enabled }) => enabled).length
  return {
    status: serving === chains.length ? 'ok' : serving > 0 ? 'degraded' : 'paused',
    time: new Date(now()).toISOString(),
    version,
    chains,
    limits: { claimsPerAddressAndChain: 1, perAppPerDay, perNetworkPerDay, perChainPerDay },
  }
}

export type ReportOptions = {
  readonly faucet: Faucet
  readonly claims: Claims
  readonly config: Pick<FaucetConfig, 'perAppPerDay' | 'perNetworkPerDay' | 'perChainPerDay'>
  readonly version: string
  readonly now: () => number
}

export type FaucetReport = {
  /** `paused`: no chain serves. */
  readonly status: 'ok' | 'degraded' | 'paused'
  readonly time: string
  readonly version: string
  readonly chains: readonly FaucetChainReport[]
  readonly limits: {
    readonly claimsPerAddressAndChain: 1
    readonly perAppPerDay: number
    readonly perNetworkPerDay: number
    readonly perChainPerDay: number
  }
}

/** What is said where nobody set a faucet up: nothing is served, and nothing is wrong. */
export type NoFaucetReport = Pick<FaucetReport, 'time' | 'version'> & {
  readonly status: 'off'
  readonly chains: readonly []
  readonly limits: null
}

export function reportNoFaucet({ version, now }: Pick<ReportOptions, 'version' | 'now'>): NoFaucetReport {
  return { status: 'off', time: new Date(now()).toISOString(), version, chains: [], limits: null }
}

export type FaucetChainReport = {
  readonly chainId: number
  readonly name: string
  /** The faucet's own. */
  readonly address: Address
  /** Of one grant, in wei. */
  readonly amount: string
  /** In wei; `null` while the endpoint is down. */
  readonly balance: string | null
  readonly balanceFormatted: string | null
  readonly currency: string
  readonly claimsRemaining: number | null
  /** What the cap of the chain leaves of the last 24 hours. */
  readonly claimsLeftToday: number
  readonly queueDepth: number
  readonly oldestPendingSeconds: number | null
  readonly lastClaimAt: string | null
  readonly lastBlock: string | null
  readonly rpc: 'ok' | 'down'
  readonly enabled: boolean
  /** Why it is not served; `dry`, `fees`, `nonce`, `signer` and `wrong-chain` also as the payer meets them. */
  readonly reason: 'rpc-down' | 'paused' | HeldUpBy | null
  /** Claims of each of the last 14 days (UTC), today last. */
  readonly history: readonly { readonly day: string; readonly claims: number }[]
}

async function reportChain(
  { chain, client, payer }: OpenFaucetChain,
  { faucet: { address }, claims, config, now }: ReportOptions,
): Promise<FaucetChainReport> {
  const [balanceWei, lastBlock, queue, history, used] = await Promise.all([
    inTime(client.getBalance({ address }), endpointMs).catch(() => null),
    inTime(client.getBlockNumber({ cacheTime: 0 }), endpointMs).catch(() => null),
    claims.queue(chain.id),
    claims.perDay(chain.id, historyDays),
    claims.used({ scope: 'chain', windowMs: dayMs }, { chainId: chain.id, appId: '', network: '' }),
  ])
  const claimsLeftToday = Math.max(0, config.perChainPerDay - used)
  const left = balanceWei === null ? null : balanceWei / grantWei - BigInt(queue.depth)
  const claimsRemaining = left === null ? null : Number(left > 0n ? left : 0n)
  const { holdsUp } = payer.facts()
  const isUp = balanceWei !== null && lastBlock !== null
  const reason = reasonOf({ isUp, holdsUp, claimsRemaining, claimsLeftToday })
  return {
    chainId: chain.id,
    name: chain.name,
    address,
    amount: `${grantWei}`,
    balance: balanceWei === null ? null : `${balanceWei}`,
    balanceFormatted: balanceWei === null ? null : formatEther(balanceWei),
    currency: chain.nativeCurrency.symbol,
    claimsRemaining,
    claimsLeftToday,
    queueDepth: queue.depth,
    oldestPendingSeconds: queue.oldestAt === null ? null : Math.max(0, Math.round((now() - queue.oldestAt) / 1_000)),
    lastClaimAt: queue.newestAt === null ? null : new Date(queue.newestAt).toISOString(),
    lastBlock: lastBlock === null ? null : `${lastBlock}`,
    rpc: isUp ? 'ok' : 'down',
    enabled: reason === null,
    reason,
    history,
  }
}

function reasonOf(chain: {
  readonly isUp: boolean
  readonly holdsUp: HeldUpBy | null
  readonly claimsRemaining: number | null
  readonly claimsLeftToday: number
}): FaucetChainReport['reason'] {
  if (chain.holdsUp === 'wrong-chain') return chain.holdsUp
  if (!chain.isUp) return 'rpc-down'
  if (chain.holdsUp !== null) return chain.holdsUp
  if (chain.claimsRemaining === 0) return 'dry'
  return chain.claimsLeftToday === 0 ? 'paused' : null
}

/** An endpoint that takes longer counts as down: one that hangs must not hold up what is said of the other chains. */
const endpointMs = 1_500
const historyDays = 14
const dayMs = 86_400_000
