import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  isAddressEqual,
  toFunctionSelector,
  encodeAbiParameters,
  parseAbi,
} from 'viem'
import { formatAmount } from '@svc/lp-math'
import { notSupported } from './read-vault.ts'
import { vaultCallAbi, vaultAbi } from '../abis/vault.ts'
import type { Intent, TokenQuantity } from '../intent.ts'
import { describeAmounts, shortAmount, routineIntent } from '../liquidity/planning/plan-payment.ts'
import type {
  Token,
  Vault,
  VaultDepositRequest,
  VaultMove,
  Vaults,
  RpcPool,
  VaultRebalance,
  VaultState,
} from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { redeemData } from './simulate-moves.ts'
import type { Chain } from '@svc/wallet/core'
import { callOf, simulateCalls, uintOf } from './simulate-calls.ts'

/**
 * The `planDeposit` of the port. ERC-4626's `deposit` names no least number of shares, but `mint` names their number, and takes no more of
 * the asset than the allowance lets it: the token itself refuses a share price that rose beyond it, in the same transaction.
 */
export const planDeposit: Vaults['planDeposit'] = (chain, vault, request) => {
  requirePlain(vault, 'deposit')
  const { owner, asset, amount, slippageBps, kept } = request
  const planned = kept === null ? null : mintedIn(kept)
  const shares = planned ?? (request.shares * BigInt(10_000 - slippageBps)) / 10_000n
  if (shares <= 0n) throw noShares()
  if (planned !== null && request.shares < planned) throw dearer(request, vault, planned)
  const { address, share } = vault
  const data = encodeFunctionData({ abi: vaultCallAbi, functionName: 'mint', args: [shares, owner] })
  const paid = describeAmounts([{ token: asset, amount }], 'exact')
  return {
    intent: routineIntent(chain, {
      calls: [{ to: address, data, valueWei: 0n, label: 'mint shares' }],
      atomicity: 'single',
      spends: [{ token: asset.address, amount }],
      receives: [{ token: address, amount: shares }],
      approvals: [{ token: asset.address, spender: address, amount, via: 'erc20', revokeAfter: true }],
      slippageBps,
      deadline: null,
      recipients: [owner],
      why: `Put at most ${paid} into the vault ${address} for ${shortAmount(formatAmount(shares, share.decimals), 'down')} of its shares; where they cost more by then, nothing happens.`,
    }),
    preview: null,
    decode: async ({ deltas }) => moveOf(deltas, vault, asset),
  }
}

/** The `planWithdrawal` of the port. Shares are given back, never an amount taken: nothing says how many shares that burns in its block. */
export const planWithdrawal: Vaults['planWithdrawal'] = (chain, vault, request) => {
  requirePlain(vault, 'redeem')
  const { owner, asset, slippageBps, simulation } = request
  const { shares } = simulation
  const received = simulation.received ?? 0n
  if (shares <= 0n) throw burnsNone()
  const least = (received * BigInt(10_000 - slippageBps)) / 10_000n
  const taken = describeAmounts([{ token: asset, amount: received }], 'nearest')
  const given = shortAmount(formatAmount(shares, vault.share.decimals), 'nearest')
  return {
    intent: routineIntent(chain, {
      calls: [{ to: vault.address, data: redeemData(shares, owner), valueWei: 0n, label: 'leave the vault' }],
      atomicity: 'single',
      spends: [{ token: vault.address, amount: shares }],
      receives: [{ token: asset.address, amount: least }],
      slippageBps,
      deadline: null,
      recipients: [owner],
      notes: [leastless],
      why: `Take about ${taken} out of the vault ${vault.address} for ${given} of its shares.`,
    }),
    preview: null,
    decode: async ({ deltas }) => moveOf(deltas, vault, asset),
  }
}

const leastless =
  'Nothing in the calldata says how little may come: the shares pay what they are worth in their block. The simulation is held to a least, and what comes short of it in the block counts as lost.'

/** What went in or came out, by the changes of the wallet. */
function moveOf(deltas: readonly TokenQuantity[], vault: Vault, asset: Token): VaultMove {
  const changeOf = (address: Address): bigint => {
    const change = deltas.find(({ token }) => isAddressEqual(token, address))?.amount ?? 0n
    return change < 0n ? -change : change
  }
  return { assets: changeOf(asset.address), shares: changeOf(vault.address) }
}

/** How many shares a plan mints: who approved it saw that. `null` where it mints none. */
function mintedIn({ calls }: Intent): bigint | null {
  const minted = calls.flatMap(({ data }) => {
    if (!data.startsWith(mintSelector)) return []
    const call = decodeFunctionData({ abi: vaultCallAbi, data })
    return call.functionName === 'mint' ? [call.args[0]] : []
  })
  return minted[0] ?? null
}

const mintSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'mint' }))

function requirePlain({ address, share, isAsync }: Vault, side: 'deposit' | 'redeem'): void {
  if (isAsync[side]) {
    const what = side === 'deposit' ? 'Its deposits' : 'Its redemptions'
    throw notSupported(`${what} are requests that are fulfilled later (ERC-7540), and no tool here makes them.`)
  }
  if (!isAddressEqual(share.address, address))
    throw notSupported('Its shares are a token apart (ERC-7575), and no tool here deals with those.')
}

function dearer({ amount, asset, shares }: VaultDepositRequest, { share }: Vault, planned: bigint): ToolError {
  const [now, then] = [shares, planned].map((units) => formatAmount(units, share.decimals))
  const paid = describeAmounts([{ token: asset, amount }], 'exact')
  return new ToolError(
    'SIMULATION_DRIFT',
    `For ${paid} the vault gives ${now} shares now, and the plan is for ${then}. Nothing was signed.`,
    {
      details: [
        { field: 'amount', message: 'Above the plan: the price of a share.', planned: `${then}`, now: `${now}` },
      ],
    },
  )
}

function burnsNone(): ToolError {
  const message = 'The vault burns no share for the amount.'
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [
      { field: 'amount', message, accepted: 'an amount that is worth at least one smallest unit of its shares' },
    ],
  })
}

function noShares(): ToolError {
  const message = 'The amount is worth no share of the vault.'
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [{ field: 'amount', message, accepted: 'an amount that brings at least one smallest unit of its shares' }],
    suggestion:
      'Call vault_simulate_deposit with a larger amount. Where a large one brings no share either, somebody has inflated their price: stay away.',
  })
}

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
