import { inTime } from '@svc/runtime'
import { Gauge } from 'prom-client'
import type { FaucetPart } from '../context.ts'
import type { FaucetChainReport } from '../faucet/report-faucet.ts'
import type { Metrics } from './create-metrics.ts'
import type { Log } from '@svc/runtime'

/**
 * Shows the standing of the faucet's chains to whoever is to be woken: gauges of each chain, and a line in the log
 * when a chain stops or begins to serve, the first look included. It looks every `everyMs`, so no chain can write more.
 */
export function watchFaucet(options: FaucetWatchOptions): { close(): void } {
  const { faucet, metrics, log, everyMs = 15_000 } = options
  registerGauges(faucet, metrics)
  const reasons = new Map<number, FaucetChainReport['reason']>()
  const look = async (): Promise<void> => {
    const { chains } = await faucet.report()
    for (const { chainId, reason, address, balance, queueDepth } of chains) {
      if ((reasons.get(chainId) ?? null) === reason) continue
      reasons.set(chainId, reason)
      if (reason === null) log.info('faucet.serves', { chainId })
      else log.warn('faucet.holds', { chainId, reason, address, balance, queueDepth, fix: fixes[reason] })
    }
  }
  // While the database is away there is nothing to tell that its own lines do not.
  const lookQuietly = () => void look().catch(() => {})
  lookQuietly()
  const timer = setInterval(lookQuietly, everyMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

export type FaucetWatchOptions = {
  readonly faucet: Pick<FaucetPart, 'report' | 'leads'>
  readonly metrics: Pick<Metrics, 'registry'>
  readonly log: Log
  readonly everyMs?: number
}

const fixes: Readonly<Record<NonNullable<FaucetChainReport['reason']>, string>> = {
  'rpc-down': 'Check the endpoints in SVC_RPC_URL_<chainId>.',
  'wrong-chain': 'Correct SVC_RPC_URL_<chainId>: an endpoint is of another chain.',
  dry: 'Fill up the address.',
  fees: 'None: grants go on when gas costs less.',
  nonce: 'See that nobody else uses the key, and that the endpoints are in step.',
  signer: 'Give this deployment a key of its own: another program over the database pays with this one.',
  paused: 'None: SVC_FAUCET_PER_CHAIN_DAY is used up for now.',
}

function registerGauges(
  { report, leads }: FaucetWatchOptions['faucet'],
  { registry }: Pick<Metrics, 'registry'>,
): void {
  for (const [name, help, valueOf] of gauges) {
    registry.registerMetric(
      new Gauge({
        name: `svc_api_faucet_${name}`,
        help,
        labelNames: ['chain'],
        registers: [],
        async collect() {
          this.reset()
          const { chains } = await inTime(report(), patienceMs).catch(() => ({ chains: [] }))
          for (const chain of chains) {
            const value = valueOf(chain, leads)
            if (value !== null) this.set({ chain: chain.name }, value)
          }
        },
      }),
    )
  }
}

/** The report is at hand but for the first one after a pause; figures that take longer are left out. */
const patienceMs = 3_000

const gauges: readonly (readonly [
  name: string,
  help: string,
  valueOf: (chain: FaucetChainReport, leads: FaucetPart['leads']) => number | null,
])[] = [
  ['balance_wei', 'What the faucet holds.', ({ balance }) => (balance === null ? null : Number(balance))],
  ['claims_remaining', 'Grants that the balance is good for, less those that wait.', (chain) => chain.claimsRemaining],
  ['claims_left_today', 'Grants that the cap of the chain leaves.', (chain) => chain.claimsLeftToday],
  ['queue_depth', 'Claims that are not paid yet.', (chain) => chain.queueDepth],
  ['oldest_pending_seconds', 'Age of the oldest of them.', (chain) => chain.oldestPendingSeconds ?? 0],
  ['enabled', 'Whether the chain takes claims.', ({ enabled }) => Number(enabled)],
  ['rpc_up', 'Whether an endpoint of the chain answers.', ({ rpc }) => Number(rpc === 'ok')],
  ['leading', 'Whether this replica pays on the chain.', ({ chainId }, leads) => Number(leads(chainId))],
]
