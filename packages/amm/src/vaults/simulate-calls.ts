import { type Address, encodeFunctionData, type Hex, isHex, type PublicClient } from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { ToolError } from '../tool-error.ts'

/**
 * Simulates calls one after the other in a block after the given one.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateCalls(
  client: PublicClient,
  calls: readonly Call[],
  blockNumber: bigint,
): Promise<readonly Result[]> {
  try {
    const [block] = await client.simulateBlocks({ blocks: [{ calls: [...calls] }], blockNumber })
    const results = block?.calls ?? []
    if (results.length !== calls.length) throw new RangeError('another number of calls came back')
    return results.map(({ status, data, gasUsed }) => ({
      isOk: status === 'success',
      data: isHex(data) ? data : '0x',
      gasUsed,
    }))
  } catch (cause) {
    if (cause instanceof ToolError && cause.code !== 'RPC_REFUSED') throw cause
    throw new ToolError('SIMULATION_UNAVAILABLE', 'The endpoint cannot simulate transactions (eth_simulateV1).', {
      suggestion:
        'Call get_vault_info for what the vault itself says, or have the operator configure an endpoint that offers eth_simulateV1.',
      cause,
    })
  }
}

/** `null` where the call failed or answered with anything but a word. */
export function uintOf(result: Result | undefined): bigint | null {
  return result?.isOk === true && /^0x[0-9a-f]{64}$/i.test(result.data) ? BigInt(result.data) : null
}

/** What the first is more than the second, 0 where it is less. */
export function difference(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return null
  return one > other ? one - other : 0n
}

/** A transaction of an owner. */
export function callOf(from: Address): (to: Address, data: Hex) => Call {
  return (to, data) => ({ from, to, data })
}

/** How much an owner holds of a token. */
export function readOf(owner: Address): (token: Address) => Call {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  return (to) => ({ to, data })
}

export type Call = { readonly from?: Address; readonly to: Address; readonly data: Hex }

export type Result = { readonly isOk: boolean; readonly data: Hex; readonly gasUsed: bigint }
