import { larger } from '@svc/lp-math'
import type { CrossChainFill } from '@svc/amm'
import { onStorage } from '../call/refusal.ts'
import { assetKey, countable } from '../call/amounts.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { gasOf } from '../orders/settle-order.ts'
import { lossAbove, noneOf } from '../spending/spend-limit.ts'
import { priceAtDestination } from '../value/destination-price.ts'
import { lostBy } from '../value/mined-loss.ts'
import { priceTokens, valueOf } from '../value/spend-value.ts'
import type { CrossChainEnd, OpenCrossChain } from './open-cross-chain.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'

/**
 * Settles what is reserved for a cross-chain order that has ended. What came back counts its gas alone. What was filled counts as traded, by
 * what arrived on the destination at prices of now, and never less than was reserved; what is lost counts as lost in full. Where less arrived
 * than the order says, by however little, the breaker opens for all but ways home. The same again changes nothing. Of one that was never opened the clear-up
 * settles what its request has signed.
 */
export async function settleCrossChain(
  context: ExecutionContext,
  one: OpenCrossChain,
  { status, fill }: { readonly status: CrossChainEnd; readonly fill: CrossChainFill | null },
): Promise<void> {
  const { engine, chain } = context
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const reservation = open.find(({ id }) => id === one.reservationId)
  if (reservation === undefined || status === 'unopened') return
  const { id, budgets, amountUsdMicros } = reservation
  if (status === 'refunded') {
    const gas = await gasOf(context, one, reservation, null)
    await onStorage('the spend ledger cannot be written', () =>
      engine.ledger.settle(id, 0n, gas, noneOf(budgets), { amounts: new Map() }),
    )
    return
  }
  const { inputToken, inputAmount, outputToken, destinationChainId } = one.order
  const [own, there] = await Promise.all([
    priceTokens([inputToken], { ...engine, directory: engine.tokens, chain }),
    priceAtDestination(engine, one.order).catch(() => new Map()),
  ])
  const priced = new Map([...own, ...there])
  const [sold, bought] = [inputToken.toLowerCase(), assetKey(destinationChainId, outputToken)]
  const came = fill?.amountOut ?? 0n
  await holdArrival(context, one, { status, came })
  const amounts = new Map([[sold, inputAmount]])
  const deltas = new Map([
    [sold, -inputAmount],
    [bought, came],
  ])
  // Without a price at the destination what arrived there is counted as it was reserved.
  const isPriced = came === 0n || priced.get(bought)?.band != null
  const lost = isPriced ? lossAbove(budgets, lostBy(deltas, priced, chain.wrappedNative.address)) : []
  const gas = await gasOf(context, one, reservation, priced)
  const usdMicros = larger(amountUsdMicros, countable(valueOf(amounts, priced).usdMicros))
  await onStorage('the spend ledger cannot be written', () =>
    engine.ledger.settle(id, usdMicros, gas, lost, { amounts }),
  )
}

/** The order says to the unit what arrives, whatever that is worth; the settler decides whether it does. Ways home stay open. */
async function holdArrival(
  { engine, chain }: ExecutionContext,
  one: OpenCrossChain,
  { status, came }: { readonly status: CrossChainEnd; readonly came: bigint },
): Promise<void> {
  if (status !== 'lost' && came >= one.order.outputAmount) return
  const cause =
    status === 'lost'
      ? `no endpoint shows what became of cross-chain order ${one.orderId} of ${chain.name}`
      : `cross-chain order ${one.orderId} of ${chain.name} brought less than it asked for`
  await openBreaker(engine, cause, 'shortfall')
}
