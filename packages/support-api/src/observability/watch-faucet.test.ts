import { afterEach, expect, it } from 'vitest'
import type { FaucetChainReport, FaucetReport } from '../faucet/report-faucet.ts'
import { createMetrics } from './create-metrics.ts'
import type { Log } from '@svc/runtime'
import { watchFaucet } from './watch-faucet.ts'

const open: { close(): void }[] = []
afterEach(() => {
  for (const watch of open.splice(0)) watch.close()
})

const chain = (facts: Partial<FaucetChainReport>): FaucetChainReport => ({
  chainId: 84532,
  name: 'base-sepolia',
  address: '0x0000000000000000000000000000000000000001',
  amount: '10000000000000000',
  balance: '30000000000000000',
  balanceFormatted: '0.03',
  currency: 'ETH',
  claimsRemaining: 2,
  claimsLeftToday: 7,
  queueDepth: 1,
  oldestPendingSeconds: 12,
  lastClaimAt: null,
  lastBlock: '1',
  rpc: 'ok',
  enabled: true,
  reason: null,
  history: [],
  ...facts,
})

function watch(answer: () => FaucetChainReport) {
  const lines: string[] = []
  const write = (event: string, { reason }: Readonly<Record<string, unknown>> = {}) =>
    void lines.push(typeof reason === 'string' ? `${event} ${reason}` : event)
  const log: Log = {
    debug() {},
    info: write,
    warn: write,
    error() {},
    writesDebug: false,
    writesInfo: false,
    flush() {},
  }
  const limits = { claimsPerAddressAndChain: 1, perAppPerDay: 1, perNetworkPerDay: 1, perChainPerDay: 1 } as const
  const report = async (): Promise<FaucetReport> => ({
    status: 'ok',
    time: '',
    version: '',
    chains: [answer()],
    limits,
  })
  const metrics = createMetrics()
  open.push(watchFaucet({ faucet: { report, leads: (id) => id === 84532 }, metrics, log, everyMs: 5 }))
  return { lines, metrics }
}

it('a chain that stops to serve writes one line, and one when it serves again', async () => {
  let facts: Partial<FaucetChainReport> = {}
  let looks = 0
  const { lines } = watch(() => {
    looks += 1
    return chain(facts)
  })
  const afterLooks = async (count: number) => {
    const until = looks + count
    await expect.poll(() => looks).toBeGreaterThanOrEqual(until)
  }
  await afterLooks(3)
  expect(lines).toEqual([])
  facts = { enabled: false, reason: 'dry' }
  await afterLooks(5)
  expect(lines).toEqual(['faucet.holds dry'])
  facts = {}
  await afterLooks(3)
  expect(lines).toEqual(['faucet.holds dry', 'faucet.serves'])
})

it('an endpoint that is down at the start is told', async () => {
  const { lines } = watch(() => chain({ rpc: 'down', enabled: false, reason: 'rpc-down' }))
  await expect.poll(() => lines).toEqual(['faucet.holds rpc-down'])
})

it('the figures are those of the report', async () => {
  const { metrics } = watch(() => chain({}))
  const text = await metrics.text()
  const values = [...text.matchAll(/^svc_api_faucet_(\w+)\{chain="base-sepolia"\} (\S+)$/gm)]
  expect(Object.fromEntries(values.map(([, name = '', value]) => [name, Number(value)]))).toEqual({
    balance_wei: 3e16,
    claims_remaining: 2,
    claims_left_today: 7,
    queue_depth: 1,
    oldest_pending_seconds: 12,
    enabled: 1,
    rpc_up: 1,
    leading: 1,
  })
})

it('what is not known is left out, and without a report the rest is still given', async () => {
  const down = watch(() => chain({ balance: null, claimsRemaining: null, rpc: 'down', enabled: false }))
  const text = await down.metrics.text()
  expect(text).toContain('svc_api_faucet_rpc_up{chain="base-sepolia"} 0')
  expect(text).not.toContain('svc_api_faucet_balance_wei{')
  const away = watch(() => {
    throw new Error('no database')
  })
  expect(await away.metrics.text()).toMatch(/^svc_api_resident_bytes \d+$/m)
})
