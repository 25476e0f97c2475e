import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { twammHookAbi } from '../abis/twamm.ts'
import type { Pool, Token, Twamm, TwammPool } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readOne } from '../rpc/read-one.ts'
import { ToolError } from '../tool-error.ts'
import { createOrderMemory } from './order-memory.ts'
import { planCancel, planClaim } from './plan-payout.ts'
import { planSubmit } from './plan-submit.ts'
import { readOrder, type TwammPorts } from './read-order.ts'
import { readOwnOrder } from './read-own-order.ts'

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
