import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  isAddressEqual,
  toFunctionSelector,
} from 'viem'
import { formatAmount } from '@svc/lp-math'
import { vaultCallAbi } from '../abis/vault.ts'
import type { Intent, TokenQuantity } from '../intent.ts'
import { describeAmounts, shortAmount } from '../liquidity/planning/describe-amounts.ts'
import { routineIntent } from '../liquidity/planning/plan-payment.ts'
import type { Token, Vault, VaultDepositRequest, VaultMove, Vaults } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { notSupported } from './read-vault.ts'
import { redeemData } from './simulate-withdrawal.ts'

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
