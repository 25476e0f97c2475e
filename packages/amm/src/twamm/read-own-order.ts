import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { OwnTwammOrder, TwammPool } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { orderIdOf, orderNotFound, type OrderState, readOrder, readOrderState, type TwammPorts } from './read-order.ts'
import type { OrderKey } from './order-memory.ts'

/**
 * The order of an owner under an id. Where the logs of its placing are out of reach its key is found by trying: an id is a hash of
 * owner, end and direction, and an order ends with an interval of its hook. It is then known by what the hook says of it now.
 *
 * @throws ToolError `ORDER_NOT_FOUND`, `RPC_*`
 */
export async function readOwnOrder(
  ports: TwammPorts,
  chain: Chain,
  pool: TwammPool,
  orderId: Hex,
  owner: Address,
): Promise<OwnTwammOrder> {
  try {
    return await readOrder(ports, chain, pool, orderId, { owner })
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'ORDER_NOT_FOUND') throw error
    return readByKey(ports, chain, pool, orderId, owner)
  }
}

async function readByKey(
  ports: TwammPorts,
  chain: Chain,
  pool: TwammPool,
  orderId: Hex,
  owner: Address,
): Promise<OwnTwammOrder> {
  const { number, timestamp } = await ports.rpc.head(chain)
  const key = keyOfId(orderId, owner, pool.intervalSeconds, Number(timestamp))
  if (key === null) throw orderNotFound(chain, orderId, owner)
  const { pending: _pending, ...state } = await readOrderState(ports, chain, pool, key, number)
  const { stands, owedIn, owedOut } = state
  // Such a key may never have been used: nothing is said of an order of which nothing is left.
  if (!stands && owedIn === 0n && owedOut === 0n) throw orderNotFound(chain, orderId, owner)
  const [expiresAt, readAt] = [Number(key.expiration), Number(timestamp)]
  return { ...state, orderId, expiresAt, readAt, status: statusNow(state, expiresAt, readAt) }
}

function statusNow({ stands }: Pick<OrderState, 'stands'>, expiresAt: number, readAt: number) {
  return stands && readAt < expiresAt ? 'active' : 'completed'
}

/** The key of an owner that has this id, its end within the reach of `keyOfId`'s search; `null` where there is none. */
export function keyOfId(orderId: Hex, owner: Address, intervalSeconds: number, nowSeconds: number): OrderKey | null {
  const nearest = Math.floor(nowSeconds / intervalSeconds)
  const [ahead, back] = [secondsAhead, secondsBack].map((seconds) =>
    Math.min(Math.ceil(seconds / intervalSeconds), mostIntervals),
  )
  for (let at = nearest + (ahead ?? 0); at >= nearest - (back ?? 0) && at > 0; at -= 1) {
    for (const zeroForOne of [true, false]) {
      const key = { owner, expiration: BigInt(at * intervalSeconds), zeroForOne }
      if (orderIdOf(key) === orderId) return key
    }
  }
  return null
}

/** An order sells for thirty days at most, and may take a later end than asked for. */
const secondsAhead = 32 * 86_400

/** Who lets an order lie longer than that finds it by its logs alone. */
const secondsBack = 90 * 86_400

/** Each is two hashes: together they take a fraction of a second. */
const mostIntervals = 3_000
