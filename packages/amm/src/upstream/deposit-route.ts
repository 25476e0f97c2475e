import type { Chain } from '@svc/wallet/core'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { Intent, IntentDeposit, TokenQuantity } from '../intent.ts'
import { liquidityForAmounts } from '../liquidity/planning/deposit/fit-amounts.ts'
import { mostOfMint } from '../liquidity/planning/slippage-limits.ts'
import type { LiquidityRoute } from './route-liquidity.ts'
import type { Pool, Position } from '../ports.ts'
import type { UpstreamAsked } from '../ports/upstream.ts'
import type { TradingRoutePorts } from './create-trading-client.ts'
import type { CreateRequest, IncreaseWireRequest } from './trading-wire.ts'
import { unknownVersion } from '../ports/pools.ts'

/**
 * Deposits that the trading API builds. It is asked for the amounts and the range of the plan of our own, at the price
 * that plan was made with. What its calldata puts in may be a little less, for it rounds in its own way; the guard says how much.
 */
export function depositRoute({ client, guard }: TradingRoutePorts): Pick<LiquidityRoute, 'add' | 'increase'> {
  return {
    async add(chain, request, { intent, preview: { pool, createsPool } }) {
      const deposit = depositIn(intent)
      const asked = { intent, deposit, wallet: request.recipient, deadline: request.deadline }
      const transaction = await client.create(wireCreate(chain, asked, createsPool, pool), deposit.pool)
      const most = mostSpent(intent, deposit)
      const built = guard(transaction, {
        ...askedOf(chain, { intent, deposit, most, wallet: request.recipient }),
        kind: 'add',
        position: null,
        pool: { ...keyOf(deposit), sqrtPriceX96: createsPool ? deposit.sqrtPriceX96 : null },
        latestDeadline: request.deadline,
        label: intent.calls[0]?.label ?? 'add liquidity',
      })
      return withBuilt(intent, built, most)
    },
    async increase(chain, position, request, { intent }) {
      const deposit = depositIn(intent)
      const wallet = position.owner
      const wire = wireDeposit(chain, { intent, deposit, wallet, deadline: request.deadline })
      const tokenId = Number(position.positionId)
      const transaction = await client.increase({ ...wire, ...stateOf(position.pool), tokenId })
      const most = mostSpent(intent, deposit)
      const { token0, token1 } = deposit
      const built = guard(transaction, {
        ...askedOf(chain, { intent, deposit, most, wallet }),
        kind: 'increase',
        position: { id: BigInt(position.positionId), token0, token1, removes: 0n },
        pool: null,
        latestDeadline: request.deadline,
        label: 'increase liquidity',
      })
      return withBuilt(intent, built, lessFees(most, position))
    },
  }
}

type Asked = {
  readonly intent: Intent
  readonly deposit: IntentDeposit
  readonly wallet: Address
  /** Unix seconds. */
  readonly deadline: number
}

function depositIn({ deposits: [deposit] = [] }: Intent): IntentDeposit {
  if (deposit === undefined) throw new TypeError('a plan of a deposit declares it')
  return deposit
}

function wireCreate(chain: Chain, asked: Asked, createsPool: boolean, pool: Pool): CreateRequest {
  if (asked.deposit.version === 'v2') {
    const position = { pool: paidPair(chain, asked) }
    return { protocol: 'V2', position, ...paymentOf(chain, asked) }
  }
  const wire = wireDeposit(chain, asked)
  return createsPool ? { ...wire, initialPrice: `${pool.sqrtPriceX96}` } : { ...wire, ...stateOf(pool) }
}

function wireDeposit(
  chain: Chain,
  asked: Asked,
): Omit<IncreaseWireRequest, 'tokenId' | keyof ReturnType<typeof stateOf>> {
  const { version, fee, tickSpacing, tickLower, tickUpper, hooks } = asked.deposit
  if (version === 'v2' || tickSpacing === null || tickLower === null || tickUpper === null) {
    throw new TypeError('a deposit of v3 or v4 has a range')
  }
  const pool = { ...paidPair(chain, asked), fee, tickSpacing }
  return {
    protocol: ({ v3: 'V3', v4: 'V4' } as const)[version],
    position: { pool: { v3: pool, v4: { ...pool, hooks: hooks ?? zeroAddress } }[version], tickLower, tickUpper },
    ...paymentOf(chain, asked),
  }
}

function paymentOf({ id: chainId }: Chain, { intent, deposit, wallet, deadline }: Asked) {
  return {
    walletAddress: wallet,
    chainId,
    amount0: `${deposit.amount0}`,
    amount1: `${deposit.amount1}`,
    slippageTolerance: (intent.slippageBps ?? 0) / 100,
    deadline,
  }
}

/** A side of v2 or v3 that is paid natively goes by the name of the native currency, at the place of its wrapped form. */
function paidPair(chain: Chain, { intent: { spends }, deposit: { version, token0, token1 } }: Asked) {
  const isSent = version !== 'v4' && spends.some(({ token }) => token === zeroAddress)
  const paid = (token: Address) => (isSent && isAddressEqual(token, chain.wrappedNative.address) ? zeroAddress : token)
  return { token0: paid(token0), token1: paid(token1) }
}

function stateOf({ liquidity, tick, sqrtPriceX96 }: Pool) {
  return { poolLiquidity: `${liquidity}`, currentTick: tick, sqrtRatioX96: `${sqrtPriceX96}` }
}

function keyOf({ version, fee, tickSpacing, hooks }: IntentDeposit) {
  return version === 'v4' ? { fee, tickSpacing, hooks } : { fee, tickSpacing: null, hooks: null }
}

/**
 * The most of each token that the calldata may let the pool take: of v2 and v3 the amounts, of v4 what the liquidity that they
 * buy takes within the slippage, and a unit more, for others round the liquidity in another way.
 */
function mostSpent({ spends, slippageBps }: Intent, deposit: IntentDeposit): readonly TokenQuantity[] {
  const { version, tickLower, tickUpper, sqrtPriceX96, amount0, amount1 } = deposit
  if (version !== 'v4' || tickLower === null || tickUpper === null || slippageBps === null) return spends
  const [sqrtPriceAX96, sqrtPriceBX96] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  const bounds = { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }
  const { liquidity } = liquidityForAmounts({ bounds, amount0, amount1, slippageBps })
  const most = mostOfMint({ bounds, liquidity, slippageBps, kept: undefined })
  return [
    { token: deposit.token0, amount: most.amount0 },
    { token: deposit.token1, amount: most.amount1 },
  ].flatMap(({ token, amount }) => (amount > 0n ? [{ token, amount: amount + 1n }] : []))
}

/** v4 pays out the fees with any change, and they pay part of the deposit. */
function lessFees(most: readonly TokenQuantity[], { version, pool, fees0, fees1 }: Position): readonly TokenQuantity[] {
  if (version === 'v3') return most
  if (version !== 'v4') throw unknownVersion(version)
  return most.flatMap(({ token, amount }) => {
    const fees = isAddressEqual(token, pool.token0.address) ? fees0 : fees1
    return amount > fees ? [{ token, amount: amount - fees }] : []
  })
}

function askedOf(
  chain: Chain,
  { intent, deposit, most, wallet }: Omit<Asked, 'deadline'> & { readonly most: readonly TokenQuantity[] },
): Pick<UpstreamAsked, 'chain' | 'wallet' | 'spends' | 'receives' | 'deposits' | 'slippageBps' | 'riskTier' | 'why'> {
  const { deposits, slippageBps, riskTier, why } = intent
  // A range that takes one token alone names the other as well.
  const named = [deposit.token0, deposit.token1].map((token) => ({ token, amount: 0n }))
  return { chain, wallet, spends: [...most, ...named], receives: [], deposits, slippageBps, riskTier, why }
}

function withBuilt(own: Intent, { calls, deadline, deposits }: Intent, spends: readonly TokenQuantity[]): Intent {
  const approvals = own.approvals.map((approval) => {
    const most = spends.find(({ token }) => isAddressEqual(token, approval.token))
    return most === undefined ? approval : { ...approval, amount: most.amount }
  })
  return { ...own, calls, deadline, deposits, spends, approvals }
}
