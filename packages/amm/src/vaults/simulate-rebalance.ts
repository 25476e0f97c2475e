import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData } from 'viem'
import { vaultCallAbi } from '../abis/vault.ts'
import type { RpcPool, Vault, VaultState } from '../ports.ts'
import { vaultAbi } from './read-vault.ts'
import { callOf, simulateCalls, uintOf } from './simulate-calls.ts'

/**
 * Simulates that its manager rebalances a vault, in a block after the state's and whatever comes of it; says how much it holds then. `null`
 * where that fails, or is left open: the engine then says why.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateRebalance(
  { rpc }: { readonly rpc: Pick<RpcPool, 'client'> },
  chain: Chain,
  { address }: Vault,
  { state, manager }: { readonly state: VaultState; readonly manager: Address },
): Promise<bigint | null> {
  const data = encodeFunctionData({ abi: vaultCallAbi, functionName: 'rebalance', args: [0n, 0n] })
  const read = { to: address, data: encodeFunctionData({ abi: vaultAbi, functionName: 'totalAssets' }) }
  const calls = [callOf(manager)(address, data), read]
  const [moved, after] = await simulateCalls(rpc.client(chain), calls, state.head.number)
  return moved?.isOk === true ? uintOf(after) : null
}
