import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { vaultCallAbi } from '../abis/vault.ts'
import type { RpcPool, Vault, VaultExit, VaultState, WithdrawalSimulation } from '../ports.ts'
import { callOf, difference, readOf, simulateCalls, uintOf } from './simulate-calls.ts'

/**
 * Simulates a way out as a transaction of its owner in a block after the state's, and measures it by balances.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateWithdrawal(
  { rpc }: { readonly rpc: Pick<RpcPool, 'client'> },
  chain: Chain,
  { address, asset, share }: Vault,
  { state, owner, exit }: { readonly state: VaultState; readonly owner: Address; readonly exit: VaultExit },
): Promise<WithdrawalSimulation> {
  const balances = [asset, share.address].map(readOf(owner))
  const leave = callOf(owner)(address, exitData(exit, owner))
  const calls = [...balances, leave, ...balances]
  const results = await simulateCalls(rpc.client(chain), calls, state.head.number)
  const [assetsBefore, sharesBefore, left, assetsAfter, sharesAfter] = results
  if (left?.isOk !== true) return { failure: left?.data ?? '0x', burnt: null, received: null }
  return {
    failure: null,
    burnt: difference(uintOf(sharesBefore), uintOf(sharesAfter)),
    received: difference(uintOf(assetsAfter), uintOf(assetsBefore)),
  }
}

/** The call of a way out that pays its owner. */
export function exitData(exit: VaultExit, owner: Address): Hex {
  return 'assets' in exit
    ? encodeFunctionData({ abi: vaultCallAbi, functionName: 'withdraw', args: [exit.assets, owner, owner] })
    : encodeFunctionData({ abi: vaultCallAbi, functionName: 'redeem', args: [exit.shares, owner, owner] })
}
