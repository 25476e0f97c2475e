import { type Address, encodeAbiParameters, encodeFunctionData, isAddressEqual, parseAbi } from 'viem'
import { vaultCallAbi } from '../abis/vault.ts'
import { routineIntent } from '../liquidity/planning/plan-payment.ts'
import type { VaultRebalance, Vaults, VaultState } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { notSupported } from './read-vault.ts'

/**
 * The `planRebalance` of the port: of a vault whose manager the wallet is, and which tells its strategies as an AgentVault does. What a
 * vault of another kind is rebalanced with, no adapter here knows. The role is looked up again when it is the plan's turn.
 */
export const planRebalance: Vaults['planRebalance'] = (chain, { address }, state, { manager }) => {
  requireRole(state, manager)
  if (state.strategies === null || state.strategies.length === 0 || state.totalAssets === null)
    throw notSupported('It tells no strategies, and how vaults of its kind are rebalanced is not known here.')
  const before = partsOf(state)
  if (before.strategies.every(({ assets, target }) => distance(assets, target) * 10_000n <= before.totalAssets))
    throw balanced()
  const data = encodeFunctionData({ abi: vaultCallAbi, functionName: 'rebalance' })
  const role = encodeFunctionData({ abi: roleAbi, functionName: 'manager' })
  const answer = encodeAbiParameters([{ type: 'address' }], [manager])
  return {
    intent: {
      ...routineIntent(chain, {
        calls: [{ to: address, data, valueWei: 0n, label: 'rebalance the vault' }],
        atomicity: 'single',
        slippageBps: null,
        deadline: null,
        restsOn: [{ to: address, data: role, answer }],
        why: `Bring the ${before.strategies.length} strategies of the vault ${address} to their parts, as its manager.`,
      }),
      riskTier: 'standard',
    },
    preview: before,
    decode: async () => null,
  }
}

/** What lies where, and where it is meant to lie. */
export function partsOf({ totalAssets, strategies }: Pick<VaultState, 'totalAssets' | 'strategies'>): VaultRebalance {
  const total = totalAssets ?? 0n
  const parts = (strategies ?? []).map(({ vault, targetBps, assets }) => {
    return { vault, targetBps, assets, target: (total * BigInt(targetBps)) / 10_000n }
  })
  const lent = parts.reduce((sum, { assets }) => sum + assets, 0n)
  return { totalAssets: total, idle: total > lent ? total - lent : 0n, strategies: parts }
}

const roleAbi = parseAbi(['function manager() view returns (address manager)'])

function requireRole({ manager }: VaultState, wallet: Address): void {
  if (manager !== null && isAddressEqual(manager, wallet)) return
  const who = manager === null ? 'It tells nobody who does.' : `${manager} does.`
  const message = `The agent wallet does not manage this vault. ${who}`
  throw new ToolError('VAULT_ROLE_MISSING', message, {
    details: [{ field: 'vault', message, accepted: `a vault whose manager is ${wallet}` }],
  })
}

function balanced(): ToolError {
  const message = 'Every strategy of the vault holds its part, to a basis point of the whole.'
  return new ToolError('VAULT_BALANCED', message, { details: [{ field: 'vault', message }] })
}

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one
}
