import { type Chain, chains } from '@svc/wallet/core'
import {
  decodeFunctionData,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  multicall3Abi,
  numberToHex,
  toFunctionSelector,
} from 'viem'
import { expect, test } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { createChainDirectory } from '@svc/amm/chains'
import { createCrossChain } from '@svc/amm/cross-chain'
import { createOrders } from '@svc/amm/orders'
import { createChainReach } from '@svc/amm/reach'
import { createRewards } from '@svc/amm/rewards'
import { createSubgraphs } from '@svc/amm/subgraph'
import { createVaults } from '@svc/amm/vaults'
import type { RpcPool } from '@svc/amm'
import { describeRefusals, untouchedWorld } from '../refusals.fixture.ts'
import { listSupportedChains } from './list-supported-chains.ts'

describeRefusals(listSupportedChains, {}, { includeTestnets: 'flag' })

type Listed = {
  items: {
    id: number
    name: string
    testnet: boolean
    versions: string[]
    rpcHealthy: boolean
    problem: string | null
    works: {
      subgraphs: string[]
      archiveDays: number | null
      logsDays: number | null
      orders: boolean
      crossChainTo: string[]
      rewards: boolean
      vaults: string[] | null
    } | null
  }[]
  timestamp: string
  notes: string[]
}

/** Nothing listens on port 9 of this machine. */
async function list(args: Record<string, unknown>): Promise<Listed> {
  const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
  const input = listSupportedChains.input.parse(args)
  const answer = await listSupportedChains.handle(input, worldOf(rpc))
  return listSupportedChains.output.parse(answer) as Listed
}

test('list_supported_chains shows the eleven mainnets, and says what it leaves out', async () => {
  const { items, notes } = await list({})
  expect(items.map((item) => item.id).sort((a, b) => a - b)).toEqual([
    1, 10, 56, 130, 137, 324, 8453, 42161, 42220, 43114, 81457,
  ])
  expect(notes).toEqual([expect.any(String), expect.stringMatching(/public testnets.*includeTestnets/)])
})

test('list_supported_chains says once what is wrong with several chains alike', async () => {
  const { items, notes } = await list({})
  const [first = ''] = notes
  expect(first).toMatch(/^ethereum, .*base.*: The endpoint of the chain could not be reached/)
  for (const item of items) {
    expect(item.problem).toBe('see notes')
    expect(first).toContain(item.name)
  }
})

test('list_supported_chains shows every chain on request, with the versions that stand there', async () => {
  const { items, notes } = await list({ includeTestnets: true })
  expect(items).toHaveLength(chains.length)
  expect(notes).toHaveLength(1)
  for (const item of items) {
    const chain = chains.find((candidate) => candidate.id === item.id)
    expect(item.versions).toEqual((['v2', 'v3', 'v4'] as const).filter((version) => chain?.amm[version] !== undefined))
  }
})

test('list_supported_chains shows what the operator added unasked, and what answers first', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const local = { ...base, id: 31337, name: 'local', testnet: true }
  const own = { ...base, id: 4711, name: 'own', testnet: true }
  const listed = async (healthy: readonly number[]) => {
    const probe: RpcPool['probe'] = async ({ id }) => {
      const isHealthy = healthy.includes(id)
      return {
        healthy: isHealthy,
        headAgeSeconds: null,
        latencyMs: null,
        problem: isHealthy ? null : 'silent',
        at: nowMs,
      }
    }
    const nobody = createRpcPool({ urls: () => [], now: Date.now })
    const world = worldOf({ ...nobody, probe }, [...chains, local, own])
    const answer = await listSupportedChains.handle({ includeTestnets: false }, world)
    return (listSupportedChains.output.parse(answer) as Listed).items.map(({ id }) => id)
  }
  expect((await listed([8453, 31337])).slice(0, 3)).toEqual([31337, 8453, 4711])
  expect((await listed([])).slice(0, 3)).toEqual([31337, 4711, chains.find(({ testnet }) => !testnet)!.id])
})

test('list_supported_chains answers when no endpoint does, and says so without naming it', async () => {
  const answer = await list({})
  expect(answer.items.every((item) => !item.rpcHealthy && item.problem !== null)).toBe(true)
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1')
})

test.each([
  ['answers', {}, true],
  ['answers nothing of the past and no logs', { refuses: ['eth_getLogs', 'past'] }, true],
  ['calls no contract', { refuses: ['eth_call'] }, false],
  ['is dead', { isDead: true }, false],
  ['serves another chain', { chainId: 1n }, false],
  ['lags', { ageSeconds: 3_600 }, false],
  ['tells no block', { refuses: ['eth_getBlockByNumber'] }, false],
] as const)(
  'a chain whose endpoint %s is called healthy where reads of it are answered, and only there',
  async (_what, does, isHealthy) => {
    const base = chains.find(({ id }) => id === 8453)!
    const rpc = createRpcPool({
      urls: () => ['https://node.example'],
      now: () => nowMs,
      fetch: endpoint(does),
      retryPauseMs: 1,
    })
    const answer = await listSupportedChains.handle({ includeTestnets: false }, worldOf(rpc, [base]))
    const [item] = (listSupportedChains.output.parse(answer) as Listed).items
    const { number } = await rpc.head(base).catch(() => ({ number: null }))
    const call = { to: base.multicall3, data: toFunctionSelector('function getCurrentBlockTimestamp()') }
    const isRead =
      number !== null &&
      (await rpc
        .client(base)
        .call(call)
        .catch(() => null)) !== null
    expect([item?.rpcHealthy, isRead, item?.problem === null, item?.works !== null]).toEqual(
      Array.from({ length: 4 }, () => isHealthy),
    )
  },
)

test('an endpoint that calls no contract is said to tell its blocks alone, how old they are, and that nothing can be read', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const fetch = endpoint({ refuses: ['eth_call'], ageSeconds: 7 })
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => nowMs, fetch, retryPauseMs: 1 })
  const answer = await listSupportedChains.handle({ includeTestnets: false }, worldOf(rpc, [base]))
  expect((listSupportedChains.output.parse(answer) as Listed).items).toMatchObject([
    { headAgeSeconds: 7, works: null, problem: expect.stringContaining('calls no contracts (eth_call') },
  ])
})

test.each([
  ['all of it, at any width', {}, { archiveDays: 42, logsDays: expect.any(Number) }, 16],
  ['no state but of the newest blocks', { refuses: ['past'] }, { archiveDays: 0 }, 16],
  ['no logs', { refuses: ['eth_getLogs'] }, { archiveDays: 42, logsDays: 0 }, 0],
  ['logs of ten blocks at once', { widestRange: 10n }, { archiveDays: 42 }, 0.01],
] as const)('what is said of the past where the endpoint gives %s', async (_what, does, past, leastLogDays) => {
  const base = chains.find(({ id }) => id === 8453)!
  const fetch = endpoint({ headBlock: 30_000_000n, ...does })
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => nowMs, fetch, retryPauseMs: 1 })
  const answer = await listSupportedChains.handle({ includeTestnets: false }, worldOf(rpc, [base]))
  const [item] = (listSupportedChains.output.parse(answer) as Listed).items
  expect(item?.works).toMatchObject({ subgraphs: [], ...past })
  expect(item?.works?.logsDays).toBeGreaterThanOrEqual(leastLogDays)
  // Scans begin with what was taken.
  const width = 'widestRange' in does ? does.widestRange : 2_000n
  expect(rpc.nextEndpoint?.(base)?.logSpans.of('a pool', 2_000n).blocks).toBe(width)
})

test('state that the second endpoint alone keeps is found, as by the tools', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const [pruned, archive] = [{ refuses: ['past'] }, {}].map((does) => endpoint({ headBlock: 30_000_000n, ...does }))
  const fetch: typeof globalThis.fetch = (input, init) =>
    (input === 'https://pruned.example/' ? pruned! : archive!)(input, init)
  const urls = () => ['https://pruned.example/', 'https://archive.example/']
  const rpc = createRpcPool({ urls, now: () => nowMs, fetch, retryPauseMs: 1 })
  const reach = await rpc.atOneBlock!(() => worldOf(rpc, [base]).reach.endpoints(base))
  expect(reach).toMatchObject({ stateDays: 42 })
})

test('an answer rests on the same until an endpoint is probed again, more is known of its past, or the policy names a vault', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const fetch = endpoint({ headBlock: 30_000_000n })
  const clock = { ms: nowMs }
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => clock.ms, fetch, retryPauseMs: 1 })
  const vaults: `0x${string}`[] = []
  const world = {
    ...worldOf(rpc, [base]),
    vaults: createVaults({ rpc, tokens: untouchedWorld().tokens, named: () => vaults }),
  }
  const rests = () => listSupportedChains.restsOn!({ includeTestnets: false }, world)
  const changed = (before: readonly unknown[], after: readonly unknown[]) =>
    before.length !== after.length || before.some((part, index) => part !== after[index])
  const begun = rests()
  await listSupportedChains.handle({ includeTestnets: false }, world)
  const known = rests()
  expect([changed(begun, known), changed(known, rests())]).toEqual([true, false])
  clock.ms += 30_000 - 1
  expect(changed(known, rests())).toBe(false)
  clock.ms += 1
  const probed = rests()
  expect(changed(known, probed)).toBe(true)
  await Promise.all(probed)
  const later = rests()
  vaults.push(`0x${'7'.repeat(40)}`)
  expect(changed(later, rests())).toBe(true)
})

test('an answer says when the chain was probed that was probed longest ago, not when it was called', async () => {
  const [one, other] = [8453, 1].map((id) => chains.find((chain) => chain.id === id)!) as [Chain, Chain]
  const clock = { ms: nowMs }
  const time = () => new Date(clock.ms).toISOString()
  const rpc = createRpcPool({ urls: () => [], now: () => clock.ms })
  const world = { ...worldOf(rpc, [one, other]), now: () => clock.ms }
  const said = async () => {
    const answer = await listSupportedChains.handle({ includeTestnets: false }, world)
    return (listSupportedChains.output.parse(answer) as Listed).timestamp
  }
  const first = time()
  await rpc.probe(one)
  clock.ms += 10_000
  expect(await said()).toBe(first)
  const second = time()
  clock.ms += 20_000
  // The first is probed anew; the other was ten seconds later.
  expect(await said()).toBe(second)
})

test('what is known of an endpoint is said without asking it for its newest block', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const node = endpoint({ headBlock: 30_000_000n })
  let bodies = ''
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (typeof init?.body === 'string') bodies += init.body
    return node(input, init)
  }
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => nowMs, fetch, retryPauseMs: 1 })
  const world = worldOf(rpc, [base])
  const answer = () => rpc.atOneBlock!(() => listSupportedChains.handle({ includeTestnets: false }, world))
  await answer()
  bodies = ''
  await answer()
  // What was asked for before it has been sent when this is answered.
  await rpc.client(base).getChainId()
  expect(bodies).not.toContain('eth_getBlockByNumber')
})

test.each([
  ['half an hour', {}, 30 * 60_000],
  ['half a minute where it reaches nothing', { refuses: ['past', 'eth_getLogs'] }, 30_000],
])('what an endpoint reaches is asked once in %s, whoever wants to know', async (_what, does, keptMs) => {
  const base = chains.find(({ id }) => id === 8453)!
  const node = endpoint({ headBlock: 30_000_000n, ...does })
  const clock = { ms: nowMs }
  let logs = 0
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (typeof init?.body === 'string') logs += init.body.split('eth_getLogs').length - 1
    return node(input, init)
  }
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => nowMs, fetch, retryPauseMs: 1 })
  const subgraphs = createSubgraphs({ apiKey: null })
  const reach = createChainReach({ rpc, subgraphs }, { now: () => clock.ms, patienceMs: 60_000 })
  const [first] = await Promise.all([reach.endpoints(base), reach.endpoints(base)])
  const once = logs
  clock.ms += keptMs - 1
  expect([await reach.endpoints(base), logs]).toEqual([first, once])
  clock.ms += 1
  expect([await reach.endpoints(base), logs]).toEqual([first, 2 * once])
})

test('what takes longer than an answer waits is null, and there for the next', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const node = endpoint({ headBlock: 30_000_000n })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (typeof init?.body === 'string' && init.body.includes('eth_getLogs')) await isAnswered
    return node(input, init)
  }
  const rpc = createRpcPool({ urls: () => ['https://node.example'], now: () => nowMs, fetch, retryPauseMs: 1 })
  const world = worldOf(rpc, [base], 1)
  const list = async () => {
    const listed = await listSupportedChains.handle({ includeTestnets: false }, world)
    return (listSupportedChains.output.parse(listed) as Listed).items[0]?.works
  }
  expect(await list()).toMatchObject({ archiveDays: null, logsDays: null, vaults: null, rewards: true })
  answer()
  await expect.poll(list).toMatchObject({ archiveDays: 42, vaults: [] })
})

const nowMs = Date.UTC(2026, 10, 21)

/** A world that reads chains by these endpoints, and has no key for anything. */
function worldOf(
  rpc: RpcPool,
  listed: readonly Chain[] = chains,
  patienceMs = 60_000,
): ReturnType<typeof untouchedWorld> {
  const world = untouchedWorld()
  const { liquidity, prices, tokens } = world
  const subgraphs = createSubgraphs({ apiKey: null })
  return {
    ...world,
    rpc,
    chains: createChainDirectory(listed),
    reach: createChainReach({ rpc, subgraphs }, { now: () => nowMs, patienceMs }),
    orders: createOrders({ rpc, liquidity, client: null, chains: listed }),
    crossChain: createCrossChain({ rpc, prices, chains: listed, pickNonce: () => 1n }),
    rewards: createRewards({ rpc, chains: listed, url: 'https://proofs.example' }),
    vaults: createVaults({ rpc, tokens, named: () => [] }),
  }
}

type Does = {
  readonly isDead?: boolean
  readonly chainId?: bigint
  readonly ageSeconds?: number
  /** Methods; `past` for calls at other blocks than the newest. */
  readonly refuses?: readonly string[]
  readonly headBlock?: bigint
  /** Of logs. */
  readonly widestRange?: bigint
}

/** An endpoint of Base, whose blocks come every two seconds, but for what it does otherwise. */
function endpoint(does: Does): typeof fetch {
  return async (_input, init) => {
    if (does.isDead === true) throw new TypeError('fetch failed')
    const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Asked | readonly Asked[]
    const answers = [asked].flat().map((call) => {
      const result = resultOf(does, call)
      const error = { code: -32_601, message: 'no such method' }
      return Object.assign({ jsonrpc: '2.0', id: call.id }, result === null ? { error } : { result })
    })
    return Response.json(Array.isArray(asked) ? answers : answers[0])
  }
}

function resultOf(does: Does, { method, params }: Asked): unknown {
  const { chainId = 8453n, ageSeconds = 0, refuses = [], headBlock = 5n, widestRange = 1_000_000n } = does
  if (refuses.includes(method)) return null
  const timeAt = (block: unknown) =>
    BigInt(nowMs / 1_000 - ageSeconds) -
    2n * (typeof block === 'string' && block !== 'latest' ? headBlock - BigInt(block) : 0n)
  const [first, second] = params as [unknown, unknown]
  if (method === 'eth_chainId') return numberToHex(chainId)
  if (method === 'eth_getBlockByNumber') {
    const block = first === 'latest' ? headBlock : BigInt(String(first))
    return {
      number: numberToHex(block),
      hash: `0x${'5'.repeat(64)}`,
      timestamp: numberToHex(timeAt(first)),
      baseFeePerGas: '0x1',
      transactions: [],
    }
  }
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = first as { readonly fromBlock: string; readonly toBlock: string }
    return BigInt(toBlock) - BigInt(fromBlock) < widestRange ? [] : null
  }
  if (
    method !== 'eth_call' ||
    (refuses.includes('past') && BigInt(second === 'latest' ? headBlock : String(second)) + 128n < headBlock)
  )
    return null
  const time = numberToHex(timeAt(second), { size: 32 })
  const { data } = first as { readonly data: Hex }
  if (!data.startsWith(toFunctionSelector(aggregate3))) return time
  const { args } = decodeFunctionData({ abi: multicall3Abi, data })
  const [asked] = args ?? []
  const returned = ((asked ?? []) as readonly unknown[]).map(() => ({ success: true, returnData: time }))
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: returned })
}

const aggregate3 = getAbiItem({ abi: multicall3Abi, name: 'aggregate3' })

type Asked = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
