import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  parseAbi,
} from 'viem'
import { vaultCallAbi } from '../abis/vault.ts'
import type { Intent } from '../intent.ts'
import { routineIntent } from '../liquidity/planning/plan-payment.ts'
import type { RpcPool, Vault, VaultRebalance, Vaults, VaultState } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { notSupported, vaultAbi } from './read-vault.ts'
import { callOf, simulateCalls, uintOf } from './simulate-calls.ts'

/**
 * The `planRebalance` of the port: of a vault whose manager the wallet is, and which tells its strategies as an AgentVault does. What a
 * vault of another kind is rebalanced with, no adapter here knows. The role is looked up again when it is the plan's turn.
 *
 * What a share is worth afterwards stands in the calldata, for whoever comes first can make a strategy dear and take a part of what goes in.
 * All that the vault holds would bound nothing: they could deposit as much as they take, and leave with it.
 */
export const planRebalance: Vaults['planRebalance'] = (chain, vault, state, { manager, kept }) => {
  const { address } = vault
  requireRole(state, manager)
  if (state.strategies === null || state.strategies.length === 0 || state.totalAssets === null)
    throw notSupported('It tells no strategies, and how vaults of its kind are rebalanced is not known here.')
  const before = partsOf(state)
  if (before.strategies.every(({ assets, target }) => distance(assets, target) * 10_000n <= before.totalAssets))
    throw balanced()
  const { shares, leastAssets } = boundOf(vault, state, kept)
  const data = encodeFunctionData({ abi: vaultCallAbi, functionName: 'rebalance', args: [shares, leastAssets] })
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
        why: `Bring the ${before.strategies.length} strategies of the vault ${address} to their parts, as its manager; where a share were worth ${mostRebalanceLossBps} bps less by then, nothing happens.`,
      }),
      riskTier: 'standard',
    },
    preview: before,
    decode: async () => null,
  }
}

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

/** What lies where, and where it is meant to lie. */
export function partsOf({ totalAssets, strategies }: Pick<VaultState, 'totalAssets' | 'strategies'>): VaultRebalance {
  const total = totalAssets ?? 0n
  const parts = (strategies ?? []).map(({ vault, targetBps, assets }) => {
    return { vault, targetBps, assets, target: (total * BigInt(targetBps)) / 10_000n }
  })
  const lent = parts.reduce((sum, { assets }) => sum + assets, 0n)
  return { totalAssets: total, idle: total > lent ? total - lent : 0n, strategies: parts }
}

/** That a million whole shares are worth at least so much; of a plan that is carried out, its own bound. */
function boundOf({ share }: Vault, { pricePerMillion }: VaultState, kept: Intent | null): RebalanceBound {
  if (pricePerMillion === null || pricePerMillion === 0n)
    throw notSupported(
      'It does not tell what its shares are worth, so nothing would bound what a rebalance costs them.',
    )
  const own = {
    shares: 10n ** BigInt(share.decimals + 6),
    leastAssets: (pricePerMillion * BigInt(10_000 - mostRebalanceLossBps)) / 10_000n,
  }
  const [planned] = (kept?.calls ?? []).flatMap(({ data }) => plannedBound(data))
  if (planned === undefined) return own
  if (planned.shares === own.shares && pricePerMillion < planned.leastAssets) throw cheaper(pricePerMillion, planned)
  return planned
}

type RebalanceBound = { readonly shares: bigint; readonly leastAssets: bigint }

function plannedBound(data: Intent['calls'][number]['data']): readonly RebalanceBound[] {
  const call = decodeFunctionData({ abi: vaultCallAbi, data })
  return call.functionName === 'rebalance' ? [{ shares: call.args[0], leastAssets: call.args[1] }] : []
}

/** What a share may lose on the way, to the fees of strategies and their rounding. */
export const mostRebalanceLossBps = 10

const roleAbi = parseAbi(['function manager() view returns (address manager)'])

function requireRole({ manager }: VaultState, wallet: Address): void {
  if (manager !== null && isAddressEqual(manager, wallet)) return
  const who = manager === null ? 'It tells nobody who does.' : `${manager} does.`
  const message = `The agent wallet does not manage this vault. ${who}`
  throw new ToolError('VAULT_ROLE_MISSING', message, {
    details: [{ field: 'vault', message, accepted: `a vault whose manager is ${wallet}` }],
  })
}

function cheaper(now: bigint, { leastAssets }: RebalanceBound): ToolError {
  const message = 'A share is worth less now than the plan lets it be afterwards. Nothing was signed.'
  return new ToolError('SIMULATION_DRIFT', message, {
    details: [
      { field: 'vault', message: 'Below the plan: the price of a share.', planned: `${leastAssets}`, now: `${now}` },
    ],
  })
}

function balanced(): ToolError {
  const message = 'Every strategy of the vault holds its part, to a basis point of the whole.'
  return new ToolError('VAULT_BALANCED', message, { details: [{ field: 'vault', message }] })
}

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one
}
