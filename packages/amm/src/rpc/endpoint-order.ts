import { type Hash, numberToHex } from 'viem'
import * as z from 'zod'
import type { LogSpans } from '../ports.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import { EndpointError } from './post-json-rpc.ts'
import { isEndpointFault } from './rpc-failure.ts'

/** The endpoints of a chain, and whom of them a transaction was offered to. */
export type Ring = {
  readonly chainId: number
  readonly endpoints: readonly Endpoint[]
  readonly now: () => number
  readonly retryPauseMs: number
  /** By the bytes of a transaction: since when it is offered, and how often it went to others. */
  readonly offers: Map<string, { readonly since: number; again: number }>
}

export type Endpoint = {
  readonly place: number
  readonly request: RpcRequest
  checked: Promise<void> | null
  benchedUntil: number
  readonly logSpans: LogSpans
  /** The youngest block whose state it lacked, and until when it is thought to lack that and what is older. */
  lacks: { readonly block: bigint; readonly until: number } | null
}

/** What one answer sees of a chain: the chain that ends in a block, as the endpoint that gave this head and those that show the same block tell it. */
export type RingView<Head extends SeenBlock = SeenBlock> = {
  readonly head: Head
  /** The place of the endpoint in the operator's order. */
  readonly giver: number
  /** Whether the other endpoints show the head, each asked once. */
  readonly shown: Map<number, Promise<boolean>>
}

export type SeenBlock = { readonly number: bigint; readonly hash: Hash }

export type Act<Result> = (request: RpcRequest) => Promise<Result>

/** Asks one endpoint, whose chain id is checked with the first thing it is asked, and leaves it for last after a fault of its own. */
export async function attempt<Result>(
  { chainId, now }: Ring,
  endpoint: Endpoint,
  method: string,
  act: Act<Result>,
): Promise<Result> {
  try {
    if (isTransaction(method)) await checkOnce(endpoint, chainId)
    const [result] = await Promise.all([act(endpoint.request), checkOnce(endpoint, chainId)])
    endpoint.benchedUntil = 0
    return result
  } catch (error) {
    if (isEndpointFault(error)) endpoint.benchedUntil = now() + benchMs
    throw error
  }
}

/** Healthy ones first; the sort keeps the operator's order among equals. */
export function inOrder({ endpoints, now }: Ring): readonly Endpoint[] {
  const time = now()
  return endpoints.toSorted((a, b) => Number(a.benchedUntil > time) - Number(b.benchedUntil > time))
}

/** In a view who gave its head comes first, unless it is at fault lately. */
export function inOrderOf(ring: Ring, view: RingView | null): readonly Endpoint[] {
  const ordered = inOrder(ring)
  const giver = ordered.find(({ place }) => place === view?.giver)
  return giver === undefined || giver.benchedUntil > ring.now()
    ? ordered
    : [giver, ...ordered.filter((one) => one !== giver)]
}

/** Whether an endpoint shows the head of a view. */
export function shows(ring: Ring, { head, giver, shown }: RingView, endpoint: Endpoint): Promise<boolean> {
  if (endpoint.place === giver) return Promise.resolve(true)
  const known =
    shown.get(endpoint.place) ??
    attempt(ring, endpoint, blockMethod, (request) => hasBlock(request, head)).catch(() => false)
  shown.set(endpoint.place, known)
  return known
}

function checkOnce(endpoint: Endpoint, chainId: number): Promise<void> {
  endpoint.checked ??= check(endpoint.request, chainId).catch((error: unknown) => {
    endpoint.checked = null
    throw error
  })
  return endpoint.checked
}

async function check(request: RpcRequest, chainId: number): Promise<void> {
  const answer = quantity.safeParse(await request({ method: 'eth_chainId' }))
  if (!answer.success) throw new EndpointError('broken', 'the chain id cannot be read')
  if (answer.data !== BigInt(chainId)) throw new EndpointError('other-chain', `answered chain id ${answer.data}`)
}

async function hasBlock(request: RpcRequest, { number, hash }: SeenBlock): Promise<boolean> {
  const answer = await request({ method: blockMethod, params: [numberToHex(number), false] })
  return seenSchema.safeParse(answer).data?.hash.toLowerCase() === hash.toLowerCase()
}

const seenSchema = z.object({ hash: z.string() })

export const blockMethod = 'eth_getBlockByNumber'

const benchMs = 30_000

/** A JSON-RPC quantity as a bigint. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)
