import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { twammHookAbi } from '../abis/twamm.ts'
import type { Pool, Token, Twamm, TwammPool, OwnTwammOrder } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readOne } from '../rpc/query.ts'
import { ToolError } from '../tool-error.ts'
import { createOrderMemory, type OrderKey } from './order-memory.ts'
import { planCancel, planClaim, planSubmit } from './plan-order.ts'
import { readOrder, type TwammPorts, orderIdOf, orderNotFound, type OrderState, readOrderState } from './read-order.ts'

export { orderIdOf } from './read-order.ts'

/** Orders that a hook sells bit by bit over time, on the interface of v4-periphery's first TWAMM hook (`ITWAMM`). */
export function createTwamm(ports: TwammPorts): Twamm {
  const memory = createOrderMemory()
  return {
    findPool: (chain, tokenIn, tokenOut) => findPool(ports, chain, tokenIn, tokenOut),
    async pool(chain, id) {
      const hooks = ports.named(chain.id).map(({ hook }) => hook)
      const [pool, ...intervals] = await Promise.all([
        ports.liquidity.pool(chain, { version: 'v4', id }),
        ...hooks.map((hook) => intervalOf(ports, chain, hook)),
      ])
      const at = hooks.findIndex((hook) => isSame(hook, pool.hooks))
      const [hook, intervalSeconds = null] = [hooks[at], intervals[at]]
      if (hook !== undefined && intervalSeconds !== null) return { pool, hook, intervalSeconds }
      throw noHook('The pool has no TWAMM hook that the policy names.', 'pool')
    },
    order: (chain, pool, orderId) => readOrder(ports, chain, pool, orderId, { memory }),
    ownOrder: (chain, pool, orderId, owner) => readOwnOrder(ports, chain, pool, orderId, owner),
    planSubmit: (chain, pool, request) => planSubmit(ports, chain, pool, request),
    planCancel,
    planClaim,
  }
}

async function findPool(ports: TwammPorts, chain: Chain, tokenIn: Token, tokenOut: Token): Promise<TwammPool> {
  const isOfPair = ({ token0, token1 }: Pool): boolean =>
    [tokenIn, tokenOut].every(({ address }) => address === token0.address || address === token1.address)
  const found = await Promise.all(
    ports.named(chain.id).flatMap(({ hook, pools }) => pools.map((id) => standingPool(ports, chain, hook, id))),
  )
  const fitting = found.filter((one) => one !== null).filter(({ pool }) => isOfPair(pool))
  const [deepest] = fitting.toSorted((one, other) => (one.pool.liquidity < other.pool.liquidity ? 1 : -1))
  if (deepest !== undefined) return deepest
  throw noHook('The policy names no pool of this pair with a TWAMM hook.', 'tokenIn')
}

/** `null` where no pool of the hook stands under the id, or the hook is none. */
async function standingPool(ports: TwammPorts, chain: Chain, hook: Address, id: Hex): Promise<TwammPool | null> {
  try {
    const pool = await ports.liquidity.pool(chain, { version: 'v4', id })
    const intervalSeconds = isSame(hook, pool.hooks) ? await intervalOf(ports, chain, hook) : null
    return intervalSeconds === null ? null : { pool, hook, intervalSeconds }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'POOL_NOT_FOUND') return null
    throw error
  }
}

function isSame(one: Address, other: Address | null): boolean {
  return one.toLowerCase() === other?.toLowerCase()
}

/** `null` where the hook does not answer as one of these. */
async function intervalOf({ rpc }: TwammPorts, chain: Chain, hook: Address): Promise<number | null> {
  const seconds = await readOne(rpc.client(chain), contractRead(hook, twammHookAbi, 'expirationInterval', []))
  return seconds !== null && seconds > 0n && seconds <= longestInterval ? Number(seconds) : null
}

/** A year: one that is longer is none. */
const longestInterval = 365n * 86_400n

/** What an order cannot be placed for. */
function noHook(message: string, field: string): ToolError {
  return new ToolError('NO_TWAMM_HOOK', message, {
    details: [{ field, message, accepted: 'a v4 pool that stands under its hook in twammHooks of the policy' }],
  })
}

/**
 * The order of an owner under an id. Where the logs of its placing are out of reach its key is found by trying: an id is a hash of
 * owner, end and direction, and an order ends with an interval of its hook. It is then known by what the hook says of it now.
 *
 * @throws ToolError `ORDER_NOT_FOUND`, `RPC_*`
 */
async function readOwnOrder(
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
