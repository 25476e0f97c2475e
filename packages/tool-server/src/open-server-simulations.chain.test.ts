import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import type { ToolServer } from './server.ts'
import { connectFirst, connectModern } from './test-server.fixture.ts'

const devnet = useDevnet({ history: true })
let server: ToolServer
let url: string
let key: string

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-simulations-'))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  key = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size))).read.reveal()
  server = await openServer(readConfig(environment))
  url = (await server.listen()).url
})
afterAll(() => server.close())

const call = (args: Readonly<Record<string, unknown>> = {}) => ({
  name: 'optimize_lp_range',
  arguments: {
    token0: 'WETH',
    token1: 'USDC',
    chain: String(devnet().chainId),
    amount: '1000',
    simulations: 20_000,
    ...args,
  },
})

type Heard = { readonly progress: number; readonly total?: number | undefined }

describe('a simulation that a client asks for', () => {
  it('tells clients of both SDK generations and both eras how far it is, on the way to one answer', async () => {
    const heard: Heard[][] = [[], [], []]
    const listen = (index: number) => ({ onprogress: (step: Heard) => void heard[index]!.push(step) })
    const first = (await connectFirst(url, key)).client
    const legacy = (await connectModern(url, key, 'legacy')).client
    const modern = (await connectModern(url, key, 'modern')).client
    const answers = [
      (await first.callTool(call(), undefined, listen(0))).structuredContent,
      (await legacy.callTool(call(), listen(1))).structuredContent,
      (await modern.callTool(call(), listen(2))).structuredContent,
    ]
    const paths = 20_480
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatchObject({ pair: 'WETH/USDC', simulation: { seed: 1, paths } })
      expect({ ...(answer as object), timestamp: null, blockAgeSeconds: null }).toEqual({
        ...(answers[0] as object),
        timestamp: null,
        blockAgeSeconds: null,
      })
      const steps = heard[index]!
      expect(steps.length).toBeGreaterThan(2)
      expect(steps.map(({ progress }) => progress)).toEqual(
        steps.map(({ progress }) => progress).toSorted((a, b) => a - b),
      )
      expect(steps.at(-1)).toMatchObject({ progress: paths, total: paths })
    }
    await Promise.all([first.close(), legacy.close(), modern.close()])
  })

  const long = () => call({ simulations: 50_000 })
  type Listening = { readonly onprogress: () => void; readonly timeout: number }
  it.each([
    ['first', async (how: Listening) => (await connectFirst(url, key)).client.callTool(long(), undefined, how)],
    ['current', async (how: Listening) => (await connectModern(url, key, 'modern')).client.callTool(long(), how)],
  ])('and that takes too long is refused, with the next call to make: %s SDK', async (_name, ask) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    const onprogress = () => void vi.advanceTimersByTime(60_000)
    const refused = await ask({ onprogress, timeout: 36_000_000 }).finally(() => vi.useRealTimers())
    const error = { code: 'SIMULATION_TIMEOUT', retryable: true, suggestion: expect.stringMatching(/call again/i) }
    expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': error } })
  })

  it('ends when that client cancels, and the next one is served', async () => {
    const { client } = await connectModern(url, key, 'legacy')
    const leave = new AbortController()
    let steps = 0
    const onprogress = () => {
      steps += 1
      leave.abort()
    }
    const left = client.callTool(call({ simulations: 50_000 }), { onprogress, signal: leave.signal })
    expect(
      await left.then(
        () => 'answered',
        () => 'left',
      ),
    ).toBe('left')
    expect(steps).toBeGreaterThan(0)
    const next = await client.callTool(call({ simulations: 100 }))
    expect(next.structuredContent).toMatchObject({ simulation: { seed: 1 } })
    await client.close()
  })
})

describe('the analytics tools, to a client that checks answers by the schemas that were listed', () => {
  const pair = { token0: 'WETH', token1: 'USDC' }
  const isoAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const strategies = '[{"name":"a","rangePct":10,"rebalanceThresholdPct":80},{"name":"b","rangePct":-1}]'

  const history = { ...pair, fee: 500 }
  type Refused = readonly [wrong: object, code: string, field: string | undefined]

  it.each<{ name: string; args: object; refusals: readonly Refused[] }>([
    {
      name: 'optimize_lp_range',
      args: { ...pair, amount: '1000', simulations: 64 },
      refusals: [
        [{ horizonDays: 0 }, 'VALIDATION_FAILED', 'horizonDays'],
        [{ token0: 'WBTC', fee: 100 }, 'NO_POOL', 'token1'],
      ],
    },
    {
      name: 'recommend_fee_tier',
      args: pair,
      refusals: [
        [{ token1: 'NOSUCH' }, 'TOKEN_NOT_FOUND', 'token1'],
        [{ token0: 'WBTC', token1: 'USDT' }, 'NO_POOLS', 'token1'],
      ],
    },
    {
      name: 'backtest_lp_strategy',
      args: { ...pair, amount: '1000', startTime: isoAgo(16) },
      refusals: [
        [{ startTime: isoAgo(13) }, 'INSUFFICIENT_HISTORY', 'startTime'],
        [{ strategies }, 'INVALID_STRATEGY', 'strategies[1].rangePct'],
      ],
    },
    {
      name: 'get_price_history',
      args: history,
      refusals: [[{ start: isoAgo(-1) }, 'VALIDATION_FAILED', 'start']],
    },
    { name: 'get_volume_history', args: history, refusals: [[{ fee: 1_234 }, 'POOL_NOT_FOUND', 'fee']] },
    { name: 'search_pools', args: {}, refusals: [[{ token: 'NOSUCH' }, 'TOKEN_NOT_FOUND', 'token']] },
    {
      name: 'get_position_performance',
      args: { positionId: '1' },
      refusals: [[{ positionId: '99999999' }, 'POSITION_NOT_FOUND', 'positionId']],
    },
  ])('$name', async ({ name, args, refusals }) => {
    const { client } = await connectFirst(url, key)
    // From here on this client compares structured content with the output schemas.
    await client.listTools()
    const chain = String(devnet().chainId)
    const right = await client.callTool({ name, arguments: { chain, ...args } })
    expect(right.structuredContent).toMatchObject({ chain: { id: devnet().chainId } })
    for (const [wrong, code, field] of refusals) {
      const refused = await client.callTool({ name, arguments: { chain, ...args, ...wrong } })
      expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code } } })
      const { details } = (refused._meta as { 'svc/error': { details: { field?: string }[] } })['svc/error']
      expect(details[0]?.field).toBe(field)
    }
    await client.close()
  })
})
