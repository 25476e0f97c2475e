import type { IncomingMessage, ServerResponse } from 'node:http'
import { buildSchema, graphql } from 'graphql'
import { zeroAddress } from 'viem'
import { connect } from '../chain/chain-client.ts'
import type { Devnet } from '../devnet.ts'
import {
  createFaultRules,
  type StandInFault,
  type AnswerFault,
  answerJson,
  misbehave,
  startStandInServer,
} from '../services/stand-in-server.ts'
import { createIndex, type EventIndex, readEvents } from './index-events.ts'
import {
  type PeriodRecord,
  type PoolRecord,
  pairPeriodRow,
  pairRow,
  periodRow,
  poolRow,
  queryRows,
  type RowQuery,
} from './rows.ts'

/**
 * The public subgraphs of v2, v3 and v4 on 127.0.0.1, over the pools of a local chain: any GraphQL query within their schemas as far
 * as they are reported here, with their limits and peculiarities. It reads what is new on the chain before each answer. Faults are set
 * while it runs.
 */
export async function startSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const source = createSource(options.devnet)
  const faults = createFaultRules<SubgraphFault>()
  const asked: SubgraphRequest[] = []
  const ofPools = buildSchema(poolSchema)
  const schemas = { v2: buildSchema(pairSchema), v3: ofPools, v4: ofPools }
  const { url, stop } = await startStandInServer((request, response) => void answer(request, response))
  const sockets = { v2: '/v2', v3: '/v3', v4: '/v4' } as const
  return {
    urls: { v2: `${url}${sockets.v2}`, v3: `${url}${sockets.v3}`, v4: `${url}${sockets.v4}` },
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
    stop,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const version = versions.find((one) => request.url === sockets[one])
    if (request.method !== 'POST' || version === undefined) return answerJson(response, 404, { error: 'not found' })
    const { query, variables } = await readBody(request)
    asked.push({ version, query, variables, authorization: request.headers.authorization ?? null })
    const fault = faults.choose(version)
    if (fault?.kind === 'errors') return answerJson(response, 200, { errors: [{ message: fault.message }] })
    if (fault !== null && fault.kind !== 'stale') return misbehave(fault, response, { error: 'A fault' })
    try {
      const { index, block } = await source()
      const behind = fault?.kind === 'stale' ? fault.seconds : 0
      const meta: BlockMeta = { number: block.number, timestamp: block.timestamp - behind, hash: block.hash }
      const rootValue = createResolvers(version, index, meta)
      answerJson(
        response,
        200,
        await graphql({ schema: schemas[version], source: query, rootValue, variableValues: variables }),
      )
    } catch {
      answerJson(response, 500, { error: 'the chain does not answer' })
    }
  }
}

export type SubgraphOptions = { readonly devnet: Pick<Devnet, 'rpcUrl' | 'tokens' | 'chain'> }

export type Subgraph = {
  readonly urls: Readonly<Record<Version, string>>
  /** Every query, in order. */
  asked(): readonly SubgraphRequest[]
  /** Methods of the rules are versions. */
  setFaults(rules: readonly StandInFault<SubgraphFault>[]): void
  stop(): Promise<void>
}

export type SubgraphRequest = {
  readonly version: Version
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly authorization: string | null
}

export type SubgraphFault =
  | AnswerFault
  /** 200 with an `errors` array. */
  | { readonly kind: 'errors'; readonly message: string }
  /** Tells of a block so much older than the head. */
  | { readonly kind: 'stale'; readonly seconds: number }

type Version = (typeof versions)[number]

const versions = ['v2', 'v3', 'v4'] as const

/** The index up to the head; a chain that was set back is read anew. */
function createSource({ rpcUrl, tokens, chain }: SubgraphOptions['devnet']) {
  const client = connect(rpcUrl)
  const ofEther = { ...chain.nativeCurrency, id: zeroAddress }
  const records = [...tokens.map(({ address, ...token }) => ({ ...token, id: address.toLowerCase() })), ofEther]
  const ether = [zeroAddress, chain.wrappedNative.address.toLowerCase()]
  const open = () => createIndex({ tokens: records, ether })
  let state = { index: open(), next: 0n, hash: '0x' as string }
  let turn = Promise.resolve()
  async function update() {
    const head = await client.getBlock()
    const isSame = state.next === 0n || (await hashAt(state.next - 1n)) === state.hash
    if (!isSame) state = { index: open(), next: 0n, hash: '0x' }
    if (head.number >= state.next) {
      for (const event of await readEvents(client, state.next, head.number)) state.index.add(event)
      state = { ...state, next: head.number + 1n, hash: head.hash }
    }
    return {
      index: state.index,
      block: { number: Number(head.number), timestamp: Number(head.timestamp), hash: head.hash },
    }
  }
  async function hashAt(blockNumber: bigint): Promise<string | null> {
    return await client.getBlock({ blockNumber }).then(
      ({ hash }) => hash,
      () => null,
    )
  }
  return () => {
    const updated = turn.then(update)
    turn = updated.then(
      () => undefined,
      () => undefined,
    )
    return updated
  }
}

async function readBody(request: IncomingMessage): Promise<{ query: string; variables: Record<string, unknown> }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as { query: string; variables: Record<string, unknown> }
}

/** What the queries of one version's schema are answered with, out of an index that stands at a block. */
function createResolvers(
  version: PoolRecord['version'],
  index: EventIndex,
  block: BlockMeta,
): Readonly<Record<string, unknown>> {
  const pools = index.pools().filter((pool) => pool.version === version)
  const held = ({ amount0, amount1, token0, token1 }: PoolRecord) =>
    amount0 * index.usdOf(token0) + amount1 * index.usdOf(token1)
  const all = (row: (pool: PoolRecord, tvlUsd: number) => object) => (query: RowQuery) => {
    const rows = pools.map((pool) => row(pool, held(pool)))
    return queryRows(rows, query)
  }
  const periods =
    (of: 'hours' | 'days', row: (pool: PoolRecord, period: PeriodRecord) => object) => (query: RowQuery) => {
      const owner = query.where?.['pool'] ?? query.where?.['pair'] ?? query.where?.['pairAddress']
      const rows = pools
        .filter(({ id }) => owner === undefined || id === owner)
        .flatMap((pool) => [...pool[of].values()].map((period) => row(pool, period)))
      return queryRows(rows, query)
    }
  const _meta = { block, deployment: `Qm${version}`, hasIndexingErrors: false }
  if (version === 'v2') {
    return {
      _meta,
      pairs: all(pairRow),
      pairHourDatas: periods('hours', (pool, period) => pairPeriodRow(pool, period, 'hourly')),
      pairDayDatas: periods('days', (pool, period) => pairPeriodRow(pool, period, 'daily')),
    }
  }
  return {
    _meta,
    pools: all(poolRow),
    poolHourDatas: periods('hours', (pool, period) => periodRow(pool, period, 'periodStartUnix')),
    poolDayDatas: periods('days', (pool, period) => periodRow(pool, period, 'date')),
  }
}

type BlockMeta = { readonly number: number; readonly timestamp: number; readonly hash: string }

/** What the public subgraphs of v3 and v4 tell of pools, as far as this project asks it; arguments as their node makes them. */
const poolSchema = `
  ${scalars()}
  type Query {
    _meta: Meta
    pools(first: Int = 100, skip: Int = 0, orderBy: PoolOrder, orderDirection: OrderDirection, where: PoolFilter): [Pool!]!
    poolHourDatas(first: Int = 100, skip: Int = 0, orderBy: HourOrder, orderDirection: OrderDirection, where: HourFilter): [PoolHourData!]!
    poolDayDatas(first: Int = 100, skip: Int = 0, orderBy: DayOrder, orderDirection: OrderDirection, where: DayFilter): [PoolDayData!]!
  }
  enum PoolOrder { id createdAtTimestamp totalValueLockedUSD volumeUSD feesUSD txCount }
  enum HourOrder { id periodStartUnix }
  enum DayOrder { id date }
  input PoolFilter {
    id: ID id_gt: ID token0: String token1: String token0_in: [String!] token1_in: [String!]
    totalValueLockedUSD_gte: BigDecimal volumeUSD_gte: BigDecimal or: [PoolFilter!] and: [PoolFilter!]
  }
  input HourFilter { id_gt: ID pool: String periodStartUnix_gt: Int periodStartUnix_gte: Int periodStartUnix_lt: Int }
  input DayFilter { id_gt: ID pool: String date_gt: Int date_gte: Int date_lt: Int }
  type Pool {
    id: ID! createdAtTimestamp: BigInt! token0: Token! token1: Token! feeTier: BigInt! liquidity: BigInt! sqrtPrice: BigInt!
    tick: BigInt token0Price: BigDecimal! token1Price: BigDecimal! volumeUSD: BigDecimal! feesUSD: BigDecimal!
    txCount: BigInt! totalValueLockedUSD: BigDecimal! tickSpacing: BigInt hooks: String
  }
  type PoolHourData { id: ID! periodStartUnix: Int! pool: Pool! ${period()} }
  type PoolDayData { id: ID! date: Int! pool: Pool! ${period()} }
`

/** The same of the subgraph of v2. */
const pairSchema = `
  ${scalars()}
  type Query {
    _meta: Meta
    pairs(first: Int = 100, skip: Int = 0, orderBy: PairOrder, orderDirection: OrderDirection, where: PairFilter): [Pair!]!
    pairHourDatas(first: Int = 100, skip: Int = 0, orderBy: HourOrder, orderDirection: OrderDirection, where: HourFilter): [PairHourData!]!
    pairDayDatas(first: Int = 100, skip: Int = 0, orderBy: DayOrder, orderDirection: OrderDirection, where: DayFilter): [PairDayData!]!
  }
  enum PairOrder { id createdAtTimestamp reserveUSD volumeUSD txCount }
  enum HourOrder { id hourStartUnix }
  enum DayOrder { id date }
  input PairFilter {
    id: ID id_gt: ID token0: String token1: String token0_in: [String!] token1_in: [String!]
    reserveUSD_gte: BigDecimal volumeUSD_gte: BigDecimal or: [PairFilter!] and: [PairFilter!]
  }
  input HourFilter { id_gt: ID pair: String hourStartUnix_gt: Int hourStartUnix_gte: Int hourStartUnix_lt: Int }
  input DayFilter { id_gt: ID pairAddress: String date_gt: Int date_gte: Int date_lt: Int }
  type Pair {
    id: ID! createdAtTimestamp: BigInt! token0: Token! token1: Token! reserve0: BigDecimal! reserve1: BigDecimal!
    reserveUSD: BigDecimal! token0Price: BigDecimal! token1Price: BigDecimal! volumeUSD: BigDecimal! txCount: BigInt!
  }
  type PairHourData {
    id: ID! hourStartUnix: Int! pair: Pair! reserve0: BigDecimal! reserve1: BigDecimal! reserveUSD: BigDecimal!
    hourlyVolumeToken0: BigDecimal! hourlyVolumeToken1: BigDecimal! hourlyVolumeUSD: BigDecimal! hourlyTxns: BigInt!
  }
  type PairDayData {
    id: ID! date: Int! pairAddress: String! reserve0: BigDecimal! reserve1: BigDecimal! reserveUSD: BigDecimal!
    dailyVolumeToken0: BigDecimal! dailyVolumeToken1: BigDecimal! dailyVolumeUSD: BigDecimal! dailyTxns: BigInt!
  }
`

function scalars(): string {
  return `
    scalar BigInt
    scalar BigDecimal
    enum OrderDirection { asc desc }
    type Meta { block: Block! deployment: String! hasIndexingErrors: Boolean! }
    type Block { number: Int! timestamp: Int hash: String }
    type Token { id: ID! symbol: String! name: String! decimals: BigInt! }
  `
}

function period(): string {
  return `
    liquidity: BigInt! sqrtPrice: BigInt! token0Price: BigDecimal! token1Price: BigDecimal! tick: BigInt
    open: BigDecimal! high: BigDecimal! low: BigDecimal! close: BigDecimal! tvlUSD: BigDecimal!
    volumeToken0: BigDecimal! volumeToken1: BigDecimal! volumeUSD: BigDecimal! feesUSD: BigDecimal! txCount: BigInt!
  `
}
