import { postJsonRpc } from '@svc/amm/rpc'
import { type Chain, urlCredentials } from '@svc/wallet/core'
import { numberToHex, zeroAddress } from 'viem'

/**
 * What one endpoint of a chain is found to do, in some twenty requests one after the other, so that none is refused for haste: which chain
 * it serves, how old its head is, how far back it has state and tells logs, how wide a range of logs and how long a batch it answers.
 * Never throws; `problem` says in our own words why it is of no use.
 */
export async function probeEndpoint(chain: Chain, url: string, { fetch, now }: ProbeOptions): Promise<EndpointReport> {
  const send = createSending(url, fetch)
  const ask = createAsking(send)
  const startedAt = now()
  const chainId = quantityOf(await ask('eth_chainId', []))
  const latencyMs = now() - startedAt
  const head = headOf(await ask('eth_getBlockByNumber', ['latest', false]))
  const unusable = { ...unknown, endpoint: originOf(url), latencyMs }
  if (chainId === null || head === null) return { ...unusable, problem: 'does not answer' }
  if (chainId !== BigInt(chain.id)) return { ...unusable, problem: `serves chain ${chainId}` }
  const place = { chain, ask, head }
  const headAgeSeconds = Math.max(0, Math.floor(now() / 1_000) - head.timestamp)
  const isStale = chain.maxHeadAgeSeconds !== null && headAgeSeconds > chain.maxHeadAgeSeconds
  return {
    ...unusable,
    head: Number(head.number),
    headAgeSeconds,
    stateDays: await deepest(place, async (block) => isText(await ask('eth_getBalance', [zeroAddress, block]))),
    logDays: await deepest(place, async (block) =>
      hasItems(await ask('eth_getLogs', [{ fromBlock: block, toBlock: block }])),
    ),
    logRangeBlocks: await widestRange(place),
    batchSize: await longestBatch(send),
    problem: isStale ? `lags: its newest block is ${headAgeSeconds} s old` : null,
  }
}

export type ProbeOptions = {
  readonly fetch: typeof globalThis.fetch
  /** Unix milliseconds. */
  readonly now: () => number
}

export type EndpointReport = {
  /** Without what may hold a key. */
  readonly endpoint: string
  readonly problem: string | null
  readonly latencyMs: number
  readonly head: number | null
  readonly headAgeSeconds: number | null
  /** The deepest of a few depths, in days, at which it has state; 0 where it has that of the last blocks alone. */
  readonly stateDays: number
  /** The same of logs; 0 where it gave none of any of these blocks, which may have had none. */
  readonly logDays: number
  /** The widest of a few ranges that it answers. */
  readonly logRangeBlocks: number
  readonly batchSize: number
}

const unknown = { head: null, headAgeSeconds: null, stateDays: 0, logDays: 0, logRangeBlocks: 0, batchSize: 1 }
const depthsDays = [365, 30, 14, 7, 1]
const batchSizes = [10, 25, 50, 100]
const timeoutMs = 10_000

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>
type Head = { readonly number: bigint; readonly timestamp: number }
type Place = { readonly chain: Chain; readonly ask: Ask; readonly head: Head }

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

async function deepest({ chain, head }: Place, has: (block: string) => Promise<boolean>): Promise<number> {
  for (const days of depthsDays) {
    const back = BigInt(Math.round((days * 86_400) / Math.max(chain.blockTimeSeconds, 0.05)))
    if (back >= head.number) continue
    if (await has(numberToHex(head.number - back))) return days
  }
  return 0
}

/** Of a contract that writes few, so that the width alone is measured. */
async function widestRange({ chain: { amm, logRangeBlocks }, ask, head }: Place): Promise<number> {
  const address = amm.v3?.factory ?? amm.v2?.factory ?? amm.v4?.positionManager
  const widths = [...new Set([100_000, 10_000, logRangeBlocks, 1_000, 100])].toSorted((a, b) => b - a)
  for (const width of widths) {
    const first = head.number > BigInt(width) ? head.number - BigInt(width) + 1n : 0n
    const range = { address, fromBlock: numberToHex(first), toBlock: numberToHex(head.number) }
    if (Array.isArray(await ask('eth_getLogs', [range]))) return width
  }
  return 0
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
  return block === null || seconds === null ? null : { number: block, timestamp: Number(seconds) }
}

function isText(answer: unknown): boolean {
  return typeof answer === 'string'
}

function hasItems(answer: unknown): boolean {
  return Array.isArray(answer) && answer.length > 0
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an endpoint that is no URL'
}
