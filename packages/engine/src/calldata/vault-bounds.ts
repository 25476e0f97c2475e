import { vaultCallAbi } from '@svc/amm/abis'
import { type Address, decodeFunctionData, getAbiItem, type Hex, toFunctionSelector } from 'viem'

/** What a call to a vault does. Throws for what is no call of those that are made here. */
export function vaultBoundsOf(vault: Address, data: Hex): VaultBounds {
  const call = decodeFunctionData({ abi: vaultCallAbi, data })
  const key = vault.toLowerCase()
  if (call.functionName === 'mint') return { ...none, vaultDeposits: [{ vault: key, shares: call.args[0] }] }
  if (call.functionName === 'redeem') return { ...none, leaves: [{ vault: key, shares: call.args[0] }] }
  const [shares, leastAssets] = call.args
  return { ...none, rebalances: [{ vault: key, shares, leastAssets }] }
}

const none: VaultBounds = { vaultDeposits: [], leaves: [], rebalances: [] }

/** Whether calldata gives shares back to a vault, or makes some, by its function: of a call to a vault that the policy names. */
export function isVaultExit(data: Hex): boolean {
  return data.startsWith(exitSelector)
}

export function isVaultMint(data: Hex): boolean {
  return data.startsWith(mintSelector)
}

const mintSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'mint' }))
const exitSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'redeem' }))

export type VaultBounds = {
  readonly vaultDeposits: readonly VaultDepositBounds[]
  readonly leaves: readonly VaultExitBounds[]
  readonly rebalances: readonly VaultRebalanceBounds[]
}

/** Shares that are given back to their vault, exactly. How much comes for them, nothing in the calldata says. */
export type VaultExitBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
}

/** What so many shares of a vault have to be worth once its manager has moved what it holds, or the call fails. */
export type VaultRebalanceBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
  readonly leastAssets: bigint
}

/** Shares that a deposit into a vault makes, exactly. What it may take of the asset, its allowance says alone. */
export type VaultDepositBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
}
