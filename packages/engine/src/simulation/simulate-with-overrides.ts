import { decodeFunctionResult, encodeFunctionData, type Hex, type PublicClient, size } from 'viem'
import { stepPlayer } from '../calldata/contracts.gen.ts'
import type { SimulatedCall, SimulatedFrom, SimulatedResult } from './asset-changes.ts'
import { simulationUnavailable } from './simulation-failure.ts'

/**
 * Plays a sequence with one `eth_call` at an endpoint that cannot do more: a small contract stands at the wallet's own
 * address for the length of the call and makes the calls one after the other. There are no logs, so what leaves
 * undeclared stays unseen; gas is guessed from above. The time is that of the block. Rejects with what the endpoint
 * answered, or with `SIMULATION_UNAVAILABLE` where it did not put the contract there.
 */
export async function simulateWithOverrides(
  client: PublicClient,
  { wallet, block }: SimulatedFrom,
  sequence: readonly SimulatedCall[],
): Promise<readonly SimulatedResult[]> {
  const data = encodeFunctionData({
    abi: stepPlayer.abi,
    functionName: 'play',
    args: [sequence.map(({ to, value, data: input }) => ({ to, value, data: input }))],
  })
  const { data: answer } = await client.call({
    account: wallet,
    to: wallet,
    data,
    blockNumber: block.number,
    stateOverride: [{ address: wallet, code: stepPlayer.runtime }],
  })
  return decode(answer, sequence)
}

function decode(answer: Hex | undefined, sequence: readonly SimulatedCall[]): readonly SimulatedResult[] {
  try {
    const simulated = decodeFunctionResult({ abi: stepPlayer.abi, functionName: 'play', data: answer ?? '0x' })
    if (simulated.length !== sequence.length) throw new RangeError('another number of calls came back')
    return simulated.map(({ ok, returnData, gasUsed, balanceBefore, balanceAfter }, index) => ({
      ok,
      returnData,
      gasUsed: asTransaction(gasUsed, sequence[index]?.data ?? '0x'),
      logs: [],
      nativeDelta: balanceAfter - balanceBefore,
    }))
  } catch (cause) {
    throw simulationUnavailable('The endpoint does not simulate: it ignores state overrides.', cause)
  }
}

/**
 * Gas of a call as a transaction of its own: the base and its data at the dearest (EIP-7623 floor, 40 a byte), and a
 * quarter more, because what earlier calls of the sequence warmed is cold for it (EIP-2929).
 */
function asTransaction(gasUsed: bigint, data: Hex): bigint {
  return 21_000n + 40n * BigInt(size(data)) + (gasUsed * 5n) / 4n
}
