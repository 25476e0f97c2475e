import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPolicy } from '@svc/engine'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, it, vi } from 'vitest'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { figuresOf } from './metrics/figures.fixture.ts'
import { openSink } from './traces/sink.fixture.ts'
import { openServer } from './open-server.ts'
import { connectModern } from './test-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The whole server on the local chain, with its figures shown. */
async function start() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-watched-'))
  const sink = await openSink()
  closers.push(sink.close)
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10', USDC: '50000' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const policy = { ...devnetPolicy(), limitsUsd: { perTransaction: '5000', perSession: '5000', daily: '5000' } }
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_METRICS_LISTEN: '127.0.0.1:0',
    SVC_TRACES_URL: sink.url,
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  let closed: Promise<void> | undefined
  const close = () => (closed ??= server.close())
  closers.push(close)
  const { url, metricsUrl } = await server.listen()
  const { client } = await connectModern(url, keys.write.reveal(), 'modern')
  closers.push(() => client.close())
  const audit = () =>
    readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  return {
    audit,
    /** As the collector has them once the server has closed. */
    spans: async () => {
      await client.close()
      await close()
      return sink.spans()
    },
    call: (name: string, input: Readonly<Record<string, unknown>>) => client.callTool({ name, arguments: input }),
    figures: async () => figuresOf(await (await fetch(metricsUrl ?? '')).text()),
  }
}

it('shows a write in every layer: its stages, its transactions, what it moved, the limits and the endpoint; and what was refused', async () => {
  const { audit, call, figures, spans } = await start()
  const chain = devnet().chain.name
  const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: String(devnet().chainId) }
  expect((await call('execute_swap', swap)).isError).not.toBe(true)
  expect((await call('execute_swap', { ...swap, amount: '9' })).isError).toBe(true)
  await vi.waitFor(() => expect(audit().some(({ event }) => event === 'tx.settled')).toBe(true))
  const settled = audit().find(({ event }) => event === 'tx.settled')
  const confirmed = audit().filter(({ event }) => event === 'tx.confirmed')
  const shown = await figures()
  const figure = (name: string) => shown.get(name)
  expect(figure(`svc_tx_intents_total{tool="execute_swap",chain="${chain}"}`)).toBe(confirmed.length)
  expect(figure(`svc_tx_submitted_total{chain="${chain}",outcome="accepted"}`)).toBe(confirmed.length)
  expect(figure(`svc_tx_ended_total{chain="${chain}",outcome="confirmed"}`)).toBe(confirmed.length)
  expect(figure(`svc_tx_confirm_seconds_count{chain="${chain}"}`)).toBe(confirmed.length)
  expect(figure(`svc_tx_settled_total{tool="execute_swap",chain="${chain}"}`)).toBe(1)
  expect(figure('svc_tx_value_usd_total{tool="execute_swap",direction="left"}')).toBeCloseTo(
    Number(settled?.['spentUsd']),
  )
  expect(figure('svc_tx_gas_usd_total{tool="execute_swap"}')).toBeCloseTo(Number(settled?.['gasUsd']))
  expect(figure('svc_tx_lost_usd_total{tool="execute_swap"}')).toBeCloseTo(Number(settled?.['lostUsd']))
  expect(figure('svc_tx_stage_duration_seconds_count{stage="simulate"}')).toBe(2)
  expect(figure('svc_tx_refusals_total{stage="reserveSpend",code="SPENDING_LIMIT_EXCEEDED"}')).toBe(1)
  expect(figure('svc_mcp_tool_calls_total{tool="execute_swap",outcome="error",code="SPENDING_LIMIT_EXCEEDED"}')).toBe(1)
  expect(figure('svc_safety_limit_usd{limit="daily"}')).toBe(5000)
  expect(figure('svc_safety_spent_usd')).toBeGreaterThan(2_500)
  // One write of more than half of the daily limit.
  expect(figure('svc_tx_large_total')).toBe(1)
  expect(figure('svc_alert_active{alert="large_withdrawal"}')).toBe(1)
  expect(figure('svc_safety_paused')).toBe(0)
  const sent = `svc_rpc_requests_total{chain="${chain}",endpoint="1",method="eth_sendRawTransaction",outcome="answered"}`
  expect(figure(sent)).toBe(confirmed.length)
  expect(figure(`svc_rpc_head_age_seconds{chain="${chain}",endpoint="1"}`)).toBeLessThan(120)
  const submitted = audit().find(({ event }) => event === 'tx.submitted')
  expect(submitted).toMatchObject({ transaction: { gasEstimate: expect.stringMatching(/^[1-9]\d{4,6}$/) } })
  const { structuredContent } = await call('check_safety_status', {})
  expect(structuredContent).toMatchObject({
    alerts: expect.arrayContaining([expect.stringMatching(/^large_withdrawal \(warning\) since 20.*: One write /)]),
  })
  // The same write, as the collector has it: each stage under its call, and each question to the endpoint under its stage.
  const traced = await spans()
  const byId = new Map(traced.map((span) => [span.spanId, span]))
  const parentsOf = (name: string) =>
    new Set(traced.flatMap((span) => (span.name === name ? [byId.get(span.parentSpanId ?? '')?.name] : [])))
  expect(parentsOf('svc.tx simulate')).toEqual(new Set(['tools/call execute_swap']))
  expect(parentsOf('eth_sendRawTransaction')).toEqual(new Set(['svc.tx broadcast']))
  expect(traced.find(({ name, isError }) => name === 'svc.tx reserveSpend' && isError)?.attributes).toMatchObject({
    'error.type': 'SPENDING_LIMIT_EXCEEDED',
    'svc.chain': chain,
  })
})
