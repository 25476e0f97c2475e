import { createRpcPool, postJsonRpc } from '@svc/amm/rpc'
import { type Chain, urlCredentials } from '@svc/wallet/core'
import { type ContractReport, verifyContracts } from './verify-contracts.ts'
import type { EndpointReach } from '@svc/amm'
import { readReach } from '@svc/amm/reach'

/**
 * One chain against its endpoints: each endpoint by itself, the contracts of its row at the first that is of use, so that no two views
 * mix, and what the tools can do there. Reads alone, and never throws for what an endpoint does.
 */
export async function verifyChain(chain: Chain, urls: readonly string[], options: VerifyOptions): Promise<ChainReport> {
  const endpoints = await Promise.all(urls.map((url) => probeEndpoint(chain, url, options)))
  const newest = Math.max(...endpoints.map(({ head }) => head ?? 0))
  const first = endpoints.findIndex(({ problem }) => problem === null)
  const usable = urls[first === -1 ? endpoints.findIndex(({ head }) => head !== null) : first]
  const { contracts, feeds } = usable === undefined ? unread : await contractsAt(chain, usable, options)
  const problems = [
    ...(usable === undefined ? [urls.length === 0 ? 'No endpoint is configured.' : 'No endpoint answers for it.'] : []),
    ...(contracts === null && usable !== undefined ? ['Its contracts could not be read.'] : []),
    ...[...(contracts ?? []), ...(feeds ?? [])].flatMap(({ contract, address, problem }) =>
      problem === null ? [] : [`${contract} ${address}: ${problem}.`],
    ),
  ]
  const report = { contracts: contracts ?? [], feeds: feeds ?? [] }
  return {
    chain: { id: chain.id, name: chain.name },
    ok: problems.length === 0,
    endpoints: endpoints.map((one) => ({ ...one, lagBlocks: one.head === null ? null : newest - one.head })),
    ...report,
    problems,
    tools: usable === undefined ? [] : toolsOf(chain, report, endpoints, options.hasSubgraphKey),
  }
}

export type VerifyOptions = ProbeOptions & {
  /** Whether hosted subgraphs can be asked. */
  readonly hasSubgraphKey: boolean
}

export type ChainReport = ContractReport & {
  readonly chain: { readonly id: number; readonly name: string }
  /** Whether every contract of the row answers as it should. */
  readonly ok: boolean
  readonly endpoints: readonly (EndpointReport & { readonly lagBlocks: number | null })[]
  readonly problems: readonly string[]
  readonly tools: readonly ToolReach[]
}

export type ToolReach = {
  readonly tool: string
  readonly can: 'yes' | 'in part' | 'no'
  readonly why: string
}

const unread = { contracts: null, feeds: null }

async function contractsAt(chain: Chain, url: string, { fetch, now }: VerifyOptions) {
  const rpc = createRpcPool({ urls: () => [url], now, fetch, timeoutMs: 10_000 })
  try {
    return await verifyContracts(rpc.client(chain), chain)
  } catch {
    return unread
  }
}

function toolsOf(
  chain: Chain,
  { contracts, feeds }: ContractReport,
  endpoints: readonly EndpointReport[],
  hasSubgraphKey: boolean,
): readonly ToolReach[] {
  const isRight = (start: string) =>
    contracts.every(({ contract, problem }) => !contract.startsWith(start) || problem === null)
  const versions = (['v2', 'v3', 'v4'] as const).filter((version) => chain.amm[version] !== undefined)
  const right = versions.filter((version) => isRight(`${version}.`))
  const priced = chain.tokens.filter(({ symbol }) =>
    feeds.some(({ contract, usd, isLate }) => contract === `feed of ${symbol}` && usd !== null && !isLate),
  )
  const simulates = endpoints.some((one) => one.problem === null && one.simulates)
  const part = (some: number, all: number) => (some === all ? 'yes' : some === 0 ? 'no' : 'in part')
  return [
    {
      tool: 'get_pools_by_token_pair, add_liquidity, get_position',
      can: part(right.length, versions.length),
      why: right.length === 0 ? 'no version answers' : right.join(', '),
    },
    {
      tool: 'execute_swap',
      can: part(right.length, versions.length),
      why: `${right.join(', ') || 'no version'}${chain.amm.universalRouter === undefined ? '; no universal router' : ''}`,
    },
    {
      tool: 'get_token_price, limits in dollars',
      can: part(priced.length, chain.tokens.length),
      why: `${priced.length} of ${chain.tokens.length} listed tokens have a feed that is in time${priced.length < chain.tokens.length ? '; others by their pools' : ''}`,
    },
    ...historyTools.flatMap(({ tool, days }) => reachOf(tool, days, historyDays(chain, endpoints, hasSubgraphKey))),
    named(
      'get_claimable_rewards',
      chain.rewardDistributor !== undefined && isRight('rewardDistributor'),
      'a distributor',
    ),
    named('submit_uniswapx_order', chain.orderReactor !== undefined && isRight('orderReactor'), 'an order reactor'),
    named(
      'submit_cross_chain_intent',
      chain.crossChainSettler !== undefined && isRight('crossChainSettler'),
      'a settler of cross-chain orders',
    ),
    {
      tool: 'vault_simulate_deposit, vault_deposit, vault_withdraw, vault_rebalance',
      can: simulates ? 'yes' : 'no',
      why: simulates ? 'eth_simulateV1 answers' : 'no endpoint answers eth_simulateV1',
    },
  ]
}

function named(tool: string, isThere: boolean, what: string): ToolReach {
  return {
    tool,
    can: isThere ? 'yes' : 'no',
    why: isThere ? `${what} stands there` : `the row names no ${what.replace(/^an? /, '')} that answers`,
  }
}

const historyTools = [
  { tool: 'get_price_history, optimize_lp_range, recommend_fee_tier', days: 7 },
  { tool: 'backtest_lp_strategy', days: 14 },
] as const

type Reach = { readonly days: number; readonly by: string }

/** By which source the past of a busy pool reaches how far; the furthest first. */
function historyDays(chain: Chain, endpoints: readonly EndpointReport[], hasSubgraphKey: boolean): readonly Reach[] {
  const { subgraphs } = chain
  const isHosted = Object.values(subgraphs ?? {}).some((place) => !place.includes('://'))
  const hasSubgraph = subgraphs !== undefined && (hasSubgraphKey || !isHosted)
  const usable = endpoints.filter(({ problem }) => problem === null)
  return [
    { days: hasSubgraph ? 366 : 0, by: 'subgraph' },
    { days: Math.max(0, ...usable.map(({ stateDays }) => stateDays)), by: 'state of past blocks' },
    { days: Math.max(0, ...usable.map(({ logDays }) => logDays)), by: 'swap logs' },
  ].toSorted((a, b) => b.days - a.days)
}

function reachOf(tool: string, days: number, [furthest, ...others]: readonly Reach[]): ToolReach[] {
  if (furthest === undefined) return []
  const reaches = [furthest, ...others].filter((one) => one.days > 0).map((one) => `${one.by} ${daysText(one.days)}`)
  const found = reaches.length === 0 ? 'no source of the past' : reaches.join(', ')
  if (furthest.days >= days) return [{ tool, can: 'yes', why: found }]
  const remedy =
    'an endpoint that keeps old state, wider ranges of logs, or SVC_MCP_SUBGRAPH_API_KEY where the row names a subgraph'
  return [{ tool, can: 'in part', why: `${found}; ${days} days are needed of a busy pool: ${remedy}` }]
}

function daysText(days: number): string {
  return days >= 366 ? 'a year and more' : days >= 1 ? `${Math.floor(days)} d` : `${Math.round(days * 24 * 10) / 10} h`
}

/**
 * What one endpoint of a chain is found to do, in some dozen requests: which chain it serves, how old its head is, what of the past it reaches, as
 * the server itself finds it out, and how long a batch it answers. Never throws; `problem` says in our own words why it is of no use.
 */
async function probeEndpoint(chain: Chain, url: string, { fetch, now }: ProbeOptions): Promise<EndpointReport> {
  const send = createSending(url, fetch)
  const ask = createAsking(send)
  const startedAt = now()
  const chainId = quantityOf(await ask('eth_chainId', []))
  const latencyMs = now() - startedAt
  const head = headOf(await ask('eth_getBlockByNumber', ['latest', false]))
  const unusable = { ...unknown, endpoint: originOf(url), latencyMs }
  if (chainId === null || head === null) return { ...unusable, problem: 'does not answer' }
  if (chainId !== BigInt(chain.id)) return { ...unusable, problem: `serves chain ${chainId}` }
  const rpc = createRpcPool({ urls: () => [url], now, fetch, timeoutMs })
  const headAgeSeconds = Math.max(0, Math.floor(now() / 1_000) - Number(head.timestamp))
  const isStale = chain.maxHeadAgeSeconds !== null && headAgeSeconds > chain.maxHeadAgeSeconds
  return {
    ...unusable,
    head: Number(head.number),
    headAgeSeconds,
    ...(await readReach(rpc, chain, head)),
    batchSize: await longestBatch(send),
    problem: isStale ? `lags: its newest block is ${headAgeSeconds} s old` : null,
  }
}

type ProbeOptions = {
  readonly fetch: typeof globalThis.fetch
  /** Unix milliseconds. */
  readonly now: () => number
}

type EndpointReport = EndpointReach & {
  /** Without what may hold a key. */
  readonly endpoint: string
  readonly problem: string | null
  readonly latencyMs: number
  readonly head: number | null
  readonly headAgeSeconds: number | null
  readonly batchSize: number
}

const unknown = {
  head: null,
  headAgeSeconds: null,
  stateDays: 0,
  logDays: 0,
  logRangeBlocks: 0,
  simulates: false,
  batchSize: 1,
}
const batchSizes = [10, 25, 50, 100]
const timeoutMs = 10_000

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>
type Head = { readonly number: bigint; readonly timestamp: bigint }

/** `undefined` for every failure: what an endpoint says of it may hold its key. */
function createAsking(send: ReturnType<typeof createSending>): Ask {
  return async (method, params) => (await send([{ jsonrpc: '2.0', id: 1, method, params }]))?.get(1)?.result
}

function createSending(url: string, fetch: typeof globalThis.fetch) {
  const exchange = { ...urlCredentials(url), fetch, timeoutMs, bodyTimeoutMs: timeoutMs, signal: undefined }
  return async (calls: Parameters<typeof postJsonRpc>[1]) => {
    try {
      const answers = await postJsonRpc(exchange, calls)
      return typeof answers === 'string' ? null : answers
    } catch {
      return null
    }
  }
}

async function longestBatch(send: ReturnType<typeof createSending>): Promise<number> {
  let longest = 1
  for (const size of batchSizes) {
    const calls = Array.from(
      { length: size },
      (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] }) as const,
    )
    const answers = await send(calls)
    if (answers === null || calls.some(({ id }) => !isText(answers.get(id)?.result))) break
    longest = size
  }
  return longest
}

function quantityOf(answer: unknown): bigint | null {
  return typeof answer === 'string' && /^0x[0-9a-f]{1,16}$/i.test(answer) ? BigInt(answer) : null
}

function headOf(answer: unknown): Head | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { number, timestamp } = answer as Readonly<Record<string, unknown>>
  const [block, seconds] = [quantityOf(number), quantityOf(timestamp)]
  return block === null || seconds === null ? null : { number: block, timestamp: seconds }
}

function isText(answer: unknown): boolean {
  return typeof answer === 'string'
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an endpoint that is no URL'
}
