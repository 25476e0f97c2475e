import type { Intent } from '@svc/amm'
import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readSurely } from '@svc/amm/rpc'
import type { ChainSnapshot } from '../call/chain-snapshot.ts'
import { type Refusal, shortOf } from '../call/refusal.ts'
import type { InspectionContext } from '../context/engine.ts'
import type { Simulation } from '../simulation/simulation.ts'

/** A signed order moves nothing by itself: what is shown and weighed is what whoever fills it takes, for as little as it falls to. */
export function withOrder(simulation: Simulation, { order }: Intent): Simulation {
  if (order === undefined) return simulation
  const [sold, bought] = [order.tokenIn.toLowerCase(), order.tokenOut.toLowerCase()]
  const deltas = new Map(simulation.deltas)
  deltas.set(sold, (deltas.get(sold) ?? 0n) - order.amountIn)
  deltas.set(bought, (deltas.get(bought) ?? 0n) + order.endAmountOut)
  return { ...simulation, deltas }
}

/** Whether the wallet holds what an order sells: no call of its own shows it. */
export async function orderFunds({
  engine,
  chain,
  client,
  wallet,
  intent,
  snapshotTaken,
}: Funded): Promise<readonly Refusal[]> {
  const { order } = intent
  if (order === undefined) return []
  const read = contractRead(order.tokenIn, erc20Abi, 'balanceOf', [wallet])
  const [token, holds] = await Promise.all([
    engine.tokens.byAddress(chain, order.tokenIn),
    readSurely(client, read, snapshotTaken.block.number),
  ])
  return holds >= order.amountIn ? [] : [shortOf([{ token, holds, needs: order.amountIn }], 'the order')]
}

type Funded = InspectionContext & { readonly snapshotTaken: Pick<ChainSnapshot, 'block'> }
