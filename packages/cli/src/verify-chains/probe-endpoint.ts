import type { EndpointReach } from '@svc/amm'
import { readReach } from '@svc/amm/reach'
import { createRpcPool, postJsonRpc } from '@svc/amm/rpc'
import { type Chain, urlCredentials } from '@svc/wallet/core'

/**
 * What one endpoint of a chain is found to do, in some dozen requests: which chain it serves, how old its head is, what of the past it reaches, as
 * the server itself finds it out, and how long a batch it answers. Never throws; `problem` says in our own words why it is of no use.
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

export type ProbeOptions = {
  readonly fetch: typeof globalThis.fetch
  /** Unix milliseconds. */
  readonly now: () => number
}

export type EndpointReport = EndpointReach & {
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
