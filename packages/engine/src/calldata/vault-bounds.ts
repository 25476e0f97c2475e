import { vaultCallAbi } from '@svc/amm/abis'
import { type Address, decodeFunctionData, getAbiItem, type Hex, toFunctionSelector } from 'viem'

/** What a call to a vault does. Throws for what is no call of those that are made here. */
export function vaultBoundsOf(vault: Address, data: Hex): VaultBounds {
  const call = decodeFunctionData({ abi: vaultCallAbi, data })
  const key = vault.toLowerCase()
  if (call.functionName === 'mint') return { vaultDeposits: [{ vault: key, shares: call.args[0] }], leaves: [] }
  if (call.functionName === 'rebalance') return { vaultDeposits: [], leaves: [] }
  return { vaultDeposits: [], leaves: [{ vault: key, brings: call.functionName === 'withdraw' ? call.args[0] : 0n }] }
}

/** Whether calldata gives shares back to a vault, or makes some, by its function: of a call to a vault that the policy names. */
export function isVaultExit(data: Hex): boolean {
  return exitSelectors.some((selector) => data.startsWith(selector))
}

export function isVaultMint(data: Hex): boolean {
  return data.startsWith(mintSelector)
}

const mintSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'mint' }))
const exitSelectors = (['withdraw', 'redeem'] as const).map((name) =>
  toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name })),
)

export type VaultBounds = {
  readonly vaultDeposits: readonly VaultDepositBounds[]
  readonly leaves: readonly VaultExitBounds[]
}

/** Shares that are given back to their vault. */
export type VaultExitBounds = {
  /** Lower case. */
  readonly vault: string
  /** How much of the asset the calldata asks for; 0 where it names shares. */
  readonly brings: bigint
}

/** Shares that a deposit into a vault makes, exactly. What it may take of the asset, its allowance says alone. */
export type VaultDepositBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
}
