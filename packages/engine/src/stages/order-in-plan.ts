import { type IntentOrder, ToolError } from '@svc/amm'
import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readSurely } from '@svc/amm/rpc'
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseAbi, type PublicClient } from 'viem'
import type { ChainSnapshot } from '../call/chain-snapshot.ts'
import { type Refusal, shortOf } from '../call/refusal.ts'
import type { InspectionContext } from '../context/engine.ts'
import type { Simulation } from '../simulation/simulation.ts'

/**
 * A signed order moves nothing by itself: what is shown and weighed is what whoever fills it takes, and what arrives of the least that it
 * falls to, as the token moves it. Throws `SIMULATION_UNAVAILABLE`.
 */
export async function withOrder(simulation: Simulation, context: Ordered): Promise<Simulation> {
  const { order } = context.intent
  if (order === undefined) return simulation
  const [sold, bought] = [order.tokenIn.toLowerCase(), order.tokenOut.toLowerCase()]
  const inOrder = new Map([
    [sold, -order.amountIn],
    [bought, await arrivalOf(context, order, simulation.blockNumber)],
  ])
  const deltas = new Map(simulation.deltas)
  for (const [token, change] of inOrder) deltas.set(token, (deltas.get(token) ?? 0n) + change)
  return { ...simulation, deltas, inOrder }
}

type Ordered = Pick<InspectionContext, 'client' | 'chain' | 'wallet' | 'intent'>

/**
 * What arrives of the order's end, measured by the balance of the wallet: a filler that was paid out of the hands of a holder pays, and the
 * reactor pulls, as it will. Of the chain's own wrapped currency it is known that all of it arrives. Nothing, where either fails.
 */
async function arrivalOf({ client, chain, wallet }: Ordered, order: IntentOrder, blockNumber: bigint): Promise<bigint> {
  const { tokenOut: token, endAmountOut, reactor, holder } = order
  if (isAddressEqual(token, chain.wrappedNative.address)) return endAmountOut
  const held = await readSurely(client, contractRead(token, erc20Abi, 'balanceOf', [holder]), blockNumber)
  // Twice as much goes to the filler, who may not get all of it either.
  const pulled = held < 2n * endAmountOut ? held / 2n : endAmountOut
  if (pulled === 0n) return 0n
  const call = (from: Address, data: Hex) => ({ from, to: token, data })
  const read = { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) }
  const calls = [
    call(holder, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [filler, 2n * pulled] })),
    call(filler, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [reactor, pulled] })),
    read,
    call(reactor, encodeFunctionData({ abi: pullAbi, functionName: 'transferFrom', args: [filler, wallet, pulled] })),
    read,
  ]
  const results = await play(client, calls, blockNumber)
  if (results.some(({ status }) => status !== 'success')) return 0n
  const [before, after] = [results[2], results[4]].map((result) => (isWord(result?.data) ? BigInt(result.data) : 0n))
  const came = (after ?? 0n) - (before ?? 0n)
  return came <= 0n ? 0n : (came * endAmountOut) / pulled
}

async function play(client: PublicClient, calls: readonly { to: Address; data: Hex }[], blockNumber: bigint) {
  try {
    const [block] = await client.simulateBlocks({ blocks: [{ calls: [...calls] }], blockNumber })
    if (block?.calls.length === calls.length) return block.calls
  } catch (cause) {
    if (cause instanceof ToolError && cause.code !== 'RPC_REFUSED') throw cause
  }
  const message = 'The endpoint cannot show what of the token that is bought would arrive (eth_simulateV1).'
  throw new ToolError('SIMULATION_UNAVAILABLE', message)
}

function isWord(data: Hex | undefined): data is Hex {
  return data !== undefined && /^0x[0-9a-f]{64}$/i.test(data)
}

const pullAbi = parseAbi(['function transferFrom(address from, address to, uint256 amount) returns (bool)'])

/** An address without a key or code. */
const filler: Address = '0x000000000000000000000000000000000000f111'

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
