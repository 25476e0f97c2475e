import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex, type PublicClient } from 'viem'
import { vaultCallAbi } from '../abis/vault.ts'
import type { RpcPool, Vault, VaultExit, VaultState, WithdrawalSimulation } from '../ports.ts'
import { vaultAbi } from './read-vault.ts'
import { callOf, difference, readOf, simulateCalls, uintOf } from './simulate-calls.ts'

/**
 * Simulates a way out as a transaction of its owner in a block after the state's, and measures it by balances. An amount counts as the shares
 * that `withdraw` burns for it: those are given back whole, for a vault whose shares somebody has made dear burns one for a smallest unit.
 *
 * @throws ToolError `SIMULATION_UNAVAILABLE`, `RPC_*`
 */
export async function simulateWithdrawal(
  { rpc }: { readonly rpc: Pick<RpcPool, 'client'> },
  chain: Chain,
  vault: Vault,
  asked: { readonly state: VaultState; readonly owner: Address; readonly exit: VaultExit },
): Promise<WithdrawalSimulation> {
  const { exit, owner, state } = asked
  const leave = (data: Hex) => simulateLeaving(rpc.client(chain), vault, { owner, data, block: state.head.number })
  if ('shares' in exit) return { ...(await leave(redeemData(exit.shares, owner))), shares: exit.shares }
  const args = [exit.assets, owner, owner] as const
  const exact = await leave(encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args }))
  const shares = exact.burnt ?? 0n
  if (exact.failure !== null || shares === 0n) return { ...exact, shares }
  return { ...(await leave(redeemData(shares, owner))), shares }
}

/** The call of a way out that pays its owner. */
export function redeemData(shares: bigint, owner: Address): Hex {
  return encodeFunctionData({ abi: vaultCallAbi, functionName: 'redeem', args: [shares, owner, owner] })
}

async function simulateLeaving(
  client: PublicClient,
  { address, asset, share }: Vault,
  { owner, data, block }: { readonly owner: Address; readonly data: Hex; readonly block: bigint },
): Promise<Omit<WithdrawalSimulation, 'shares'>> {
  const balances = [asset, share.address].map(readOf(owner))
  const results = await simulateCalls(client, [...balances, callOf(owner)(address, data), ...balances], block)
  const [assetsBefore, sharesBefore, left, assetsAfter, sharesAfter] = results
  if (left?.isOk !== true) return { failure: left?.data ?? '0x', burnt: null, received: null }
  return {
    failure: null,
    burnt: difference(uintOf(sharesBefore), uintOf(sharesAfter)),
    received: difference(uintOf(assetsAfter), uintOf(assetsBefore)),
  }
}
