import { chains, findChain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { HistoryPorts, HistoryRequest, PoolBars } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { createSubgraphs } from '../subgraph/create-subgraphs.ts'
import { createBarMemory } from './bars/bar-chunks.ts'
import { createPoolHistory, takeTurns, type TurnOptions } from './create-pool-history.ts'
import { reportedHours } from './periods/reported-hours.fixture.ts'

const now = 1_700_000_000

/** A pool whose swap logs reach back so many hours, and two days of it. */
function poolOf(hours: number, change: Partial<HistoryRequest> = {}) {
  const asked = { logs: 0 }
  const place = { blockNumber: 1n, logIndex: 0 }
  const swap = { ...place, amount0: 5n, amount1: -5n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500, tick: 0 }
  const liquidity = {
    swaps: async (_chain: unknown, _pool: unknown, from: number) => {
      asked.logs += 1
      return {
        swaps: [{ ...swap, timestamp: now - hours * 3_600 + 60, transactionHash: '0x' as const }],
        created: null,
        completeFrom: Math.max(from, now - hours * 3_600),
        complete: now - hours * 3_600 <= from,
      }
    },
  }
  const fetch = () => Promise.reject(new Error('no network'))
  const history = createPoolHistory(
    {
      liquidity,
      prices: { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const },
      rpc: unread,
    },
    {
      subgraphs: createSubgraphs({ apiKey: null, fetch, pauseMs: 1 }),
      bars: createBarMemory(),
      now: () => now * 1_000,
      checks: { pickInt: () => 0 },
    },
  )
  const token = { decimals: 18 }
  const pool = { id: '0x', version: 'v3', protocolFee: 0, hooks: null, token0: token, token1: token }
  const request = { chain: findChain(chains, 'ethereum')!, pool, from: now - 48 * 3_600, to: now, barSeconds: 3_600 }
  return { history, asked, request: { ...request, ...change } as HistoryRequest }
}

/** The note on those days. */
async function noteOf(...terms: Parameters<typeof poolOf>) {
  const { history, request } = poolOf(...terms)
  return (await history.read(request)).completeness.note
}

/** Its head is all that is asked for where logs are short, and not to be had. */
const unread = {
  head: () => Promise.reject(new ToolError('RPC_UNAVAILABLE', 'No head.', { details: [] })),
} as unknown as HistoryPorts['rpc']

test('says that a subgraph would reach further where nothing but its key is missing', async () => {
  expect(await noteOf(10)).toMatch(/^With SVC_MCP_SUBGRAPH_API_KEY set .* The swap logs were read back to /)
  expect(await noteOf(100)).toMatch(/^\d+ bars at the beginning are left out/)
  expect(await noteOf(10, { barSeconds: 60 })).toMatch(/^The swap logs/)
  expect(await noteOf(10, { chain: findChain(chains, 'blast')! })).toMatch(/^The swap logs/)
})

test('reads the logs once for all who ask for the same bars at the same time, and anew for other bars and later', async () => {
  const { history, asked, request } = poolOf(10)
  const reads = await Promise.all(Array.from({ length: 30 }, () => history.read(request)))
  expect(new Set(reads).size).toBe(1)
  expect(asked.logs).toBe(1)
  await Promise.all([history.read(request), history.read({ ...request, barSeconds: 60 })])
  expect(asked.logs).toBe(3)
})

test('passes over a subgraph that was found untrue of a pool for six hours, wherever chance would look next', async () => {
  let [picked, time, asked] = [20, now * 1_000, 0]
  const { ports, ask, request } = reportedHours(
    () => true,
    (at) => (at === 21 ? 500 : 1_000),
  )
  const counted: typeof ask = (...terms) => {
    asked += 1
    return ask(...terms)
  }
  const history = createPoolHistory(ports, {
    subgraphs: { of: () => counted },
    bars: createBarMemory(),
    now: () => time,
    checks: { pickInt: () => picked },
  })
  const read = async (change: object = {}) => {
    const { source, completeness } = await history.read({ ...request, ...change })
    return `${asked} ${source}: ${completeness.note}`
  }
  expect(await read()).toMatch(/^1 rpc: The subgraph tells another hour from 1971-02-22T13:00:00.000Z on than the pool/)
  picked = 0
  const at = new Date(time).toISOString()
  expect(await read()).toContain(`1 rpc: The subgraph was refused at ${at} and is passed over until`)
  expect(await read({ from: request.from + 3_600 })).toContain('as it tells another hour from')
  expect(await read({ pool: { ...request.pool, id: '0xother' } })).toMatch(/^2 subgraph: /)
  time += 6 * 3_600_000
  expect(await read()).toMatch(/^3 subgraph: /)
})

/** A history whose reads end one by one when they are told to, and whom they were for. */
function slowHistory(options?: TurnOptions, underway?: number) {
  const begun: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const history = takeTurns(
    {
      isUnderway: ({ from }) => from === underway,
      read: ({ principalId }) => {
        begun.push(principalId)
        return new Promise<PoolBars>((resolve) => ends.push(() => resolve({} as PoolBars)))
      },
    },
    options,
  )
  const read = (principalId: string, signal?: AbortSignal, from = 0) =>
    history.read({ principalId, signal, from } as object as HistoryRequest).then(
      () => 'read',
      (error: ToolError) => error.code,
    )
  return { begun, ends, read }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a few reads go on at once, and those who wait take turns by principal', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 2 })
  const answers = ['a', 'a', 'a', 'a', 'a', 'b'].map((who) => read(who))
  await settled()
  expect(begun).toEqual(['a', 'a'])
  for (let ended = 0; ended < answers.length; ended += 1) {
    ends[ended]!()
    await settled()
  }
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'a', 'a'])
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'read'))
})

test('when too many wait, who has most waiting is refused', async () => {
  const { begun, read } = slowHistory({ atOnce: 1, maxWaiting: 3 })
  const many = Array.from({ length: 5 }, () => read('a'))
  void read('b')
  expect(await many[4]).toBe('SERVER_BUSY')
  expect(await many[3]).toBe('SERVER_BUSY')
  await settled()
  expect(begun).toEqual(['a'])
})

test('who asks for what is being read already joins, and takes nobody’s place', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 1 }, 7)
  void read('a')
  const joined = read('b', undefined, 7)
  await settled()
  expect(begun).toEqual(['a', 'b'])
  void read('c')
  ends[1]!()
  expect(await joined).toBe('read')
  await settled()
  expect(begun).toEqual(['a', 'b'])
})

test('who leaves gives up his place, in the line or at the head of it', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 1 })
  const [waits, called] = [new AbortController(), new AbortController()]
  void read('a')
  const left = [read('a', waits.signal), read('a', called.signal)]
  const stays = read('b')
  waits.abort()
  await settled()
  ends[0]!()
  await settled()
  // Whoever is called in the moment in which he leaves.
  called.abort()
  ends[1]!()
  await settled()
  expect(await left[0]).toBe('CANCELLED')
  expect(begun.filter((who) => who === 'b')).toHaveLength(1)
  for (const end of ends) end()
  expect(await stays).toBe('read')
})
