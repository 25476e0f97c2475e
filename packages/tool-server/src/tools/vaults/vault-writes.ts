import {
  type DepositSimulation,
  type Token,
  tokenLabel,
  type VaultMove,
  type VaultState,
  type VaultExit,
  mostRebalanceLossBps,
  ToolError,
  type VaultRebalance,
} from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { amountOf, chainInput, positiveAmountInput, wholeNumber, exitSlippageInput } from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, tradeResult, tradeStamp } from '../results.ts'
import {
  amountResult,
  amountText,
  assetOf,
  fewerSharesNotes,
  refusedBy,
  requireAtOnce,
  shareOf,
  shortOf,
  vaultInput,
} from '../vault-facts.ts'

export const vaultDeposit = writeTool({
  name: 'vault_deposit',
  title: 'Deposit into a vault',
  description:
    'Puts at most an amount into a vault that the policy names, for the shares it brings in a simulation less slippageBps: dearer shares are not bought. What they leave over stays.',
  scope: 'write:vault',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    vault: vaultInput,
    amount: positiveAmountInput.describe('Most, in its asset'),
    chain: chainInput,
    slippageBps: wholeNumber(1, 500, 'whole basis points from 1 to 500').default(10),
  }),
  output: z.object({
    ...tradeResult,
    vault: z.string(),
    assetSymbol: z.string(),
    shareSymbol: z.string(),
    deposited: z.string(),
    depositedUsd: usdResult,
    shares: z.string(),
    redeemsFor: amountResult.describe('As simulated before'),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = context.wallet.address
  const vault = await context.vaults.find(chain, input.vault)
  requireAtOnce(vault, 'deposit')
  const asset = await assetOf(context, chain, vault)
  const amount = amountOf(input.amount, asset, 'amount')
  const state = await context.vaults.state(chain, vault, { account: owner, deposit: amount })
  const held = state.account?.balance ?? null
  if (held !== null && held < amount) throw shortOf(held, amount, asset, 'the deposit')
  const [simulation, price] = await Promise.all([
    context.vaults.simulateDeposit(chain, vault, state, { owner, asset, amount }),
    context.prices.usd(chain, asset, state.head),
  ])
  const failure = simulation?.failure ?? null
  if (failure !== null) throw refusedBy('deposit', failure.data, state.account?.maxDeposit ?? null, asset)
  const { slippageBps } = input
  const kept = context.keptParts()?.[0] ?? null
  const request = { owner, asset, amount, shares: simulation?.shares ?? 0n, slippageBps, kept }
  const planned = context.vaults.planDeposit(chain, vault, request)
  const share = shareOf(vault)
  return context.execute(planned.intent, async (settled) => {
    const moved = await planned.decode(settled)
    return {
      ...tradeStamp(chain, planned.intent, settled),
      vault: vault.address,
      assetSymbol: asset.symbol,
      shareSymbol: share.symbol,
      deposited: tokenAmount(moved.assets, asset),
      depositedUsd: valueUsd(moved.assets, asset, price),
      shares: tokenAmount(moved.shares, share),
      redeemsFor: amountText(worthOf(moved, simulation), asset),
      notes: [
        ...settled.warnings,
        ...depositNotes({ moved, amount, asset, state, simulation }),
        ...priceNotes([asset, price]),
      ],
    }
  })
})

/** What so many shares brought when a deposit was simulated. */
function worthOf({ shares }: VaultMove, simulation: DepositSimulation | null): bigint | null {
  const [redeemed, came] = [simulation?.redeemed ?? null, simulation?.shares ?? null]
  return redeemed === null || came === null || came === 0n ? null : (redeemed * shares) / came
}

function depositNotes({ moved, amount, asset, state, simulation }: Deposited): readonly string[] {
  const rest = amount - moved.assets
  return [
    ...fewerSharesNotes(state.previewedShares, simulation?.shares ?? null),
    ...(rest > 0n
      ? [
          `${tokenAmount(rest, asset)} ${tokenLabel(asset)} stayed in the wallet: the slippage, which a dearer share would have taken.`,
        ]
      : []),
  ]
}

type Deposited = {
  readonly moved: VaultMove
  readonly amount: bigint
  readonly asset: Token
  readonly state: VaultState
  readonly simulation: DepositSimulation | null
}

export const vaultWithdraw = writeTool({
  name: 'vault_withdraw',
  title: 'Withdraw from a vault',
  description:
    'Gives shares back to a vault that the policy names: those that an amount burns in a simulation, or all. Pays the agent wallet only.',
  scope: 'write:vault',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    vault: vaultInput,
    amount: positiveAmountInput.optional().describe('Of its asset, about; else all'),
    chain: chainInput,
    slippageBps: exitSlippageInput,
  }),
  output: z.object({
    ...tradeResult,
    vault: z.string(),
    assetSymbol: z.string(),
    shareSymbol: z.string(),
    withdrawn: z.string(),
    withdrawnUsd: usdResult,
    sharesBurnt: z.string(),
    sharesLeft: amountResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = context.wallet.address
  const vault = await context.vaults.find(chain, input.vault)
  requireAtOnce(vault, 'redeem')
  const asset = await assetOf(context, chain, vault)
  const share = shareOf(vault)
  const state = await context.vaults.state(chain, vault, { account: owner })
  const held = state.account?.shares ?? null
  if (held === 0n) throw shortOf(0n, 1n, share, 'a way out')
  const amount = input.amount === undefined ? null : amountOf(input.amount, asset, 'amount')
  const exit = exitOf(amount, context.keptParts()?.[0]?.spends[0]?.amount ?? null, state)
  const [simulation, price] = await Promise.all([
    context.vaults.simulateWithdrawal(chain, vault, state, { owner, exit }),
    context.prices.usd(chain, asset, state.head),
  ])
  if (simulation.failure !== null)
    throw refusedBy('withdrawal', simulation.failure, state.account?.maxWithdraw ?? null, asset)
  const slippageBps = input.slippageBps ?? context.defaults.slippageBps
  const planned = context.vaults.planWithdrawal(chain, vault, { owner, asset, slippageBps, simulation })
  return context.execute(planned.intent, async (settled) => {
    const moved = await planned.decode(settled)
    return {
      ...tradeStamp(chain, planned.intent, settled),
      vault: vault.address,
      assetSymbol: asset.symbol,
      shareSymbol: share.symbol,
      withdrawn: tokenAmount(moved.assets, asset),
      withdrawnUsd: valueUsd(moved.assets, asset, price),
      sharesBurnt: tokenAmount(moved.shares, share),
      sharesLeft: amountText(held === null ? null : held - moved.shares, share),
      notes: [...settled.warnings, ...otherAmountNotes(amount, moved, asset), ...priceNotes([asset, price])],
    }
  })
})

/** The shares of the plan that is carried out; else an amount, or all shares. */
function exitOf(amount: bigint | null, planned: bigint | null, { account }: VaultState): VaultExit {
  if (planned !== null) return { shares: planned }
  return amount === null ? { shares: account?.shares ?? 0n } : { assets: amount }
}

/** A share that somebody has made dear is given back whole, and pays all that it is worth; a fee on shares comes off the amount. */
function otherAmountNotes(amount: bigint | null, { assets }: VaultMove, asset: Token): readonly string[] {
  if (amount === null || (assets * 100n <= amount * 101n && assets * 100n >= amount * 99n)) return []
  const [came, asked] = [assets, amount].map((units) => tokenAmount(units, asset))
  const why =
    assets > amount
      ? 'shares are given back whole, and one is worth that much'
      : 'the vault keeps a part of what shares are worth that are given back'
  return [`${came} came where ${asked} was asked for: ${why}.`]
}

export const vaultRebalance = writeTool({
  name: 'vault_rebalance',
  title: 'Rebalance a vault',
  description:
    'Brings the strategies of a vault that the policy names and the agent wallet manages to their target parts. Moves nothing of the agent wallet.',
  scope: 'write:vault',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ vault: vaultInput, chain: chainInput }),
  output: z.object({
    ...tradeResult,
    vault: z.string(),
    assetSymbol: z.string(),
    totalAssets: amountResult,
    idle: amountResult.describe('In no strategy'),
    strategies: z.array(
      z.object({ vault: z.string(), targetBps: z.int(), before: z.string(), after: z.string().nullable() }),
    ),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const manager = context.wallet.address
  const vault = await context.vaults.find(chain, input.vault)
  const asset = await assetOf(context, chain, vault)
  const state = await context.vaults.state(chain, vault, { account: manager })
  const kept = context.keptParts()?.[0] ?? null
  const { intent, preview } = context.vaults.planRebalance(chain, vault, state, { manager, kept })
  const simulated = await context.vaults.simulateRebalance(chain, vault, state, { manager })
  requireKept(state.totalAssets, simulated, asset)
  return context.execute(intent, async (settled) => {
    const now = await context.vaults.state(chain, vault, { account: manager })
    return {
      ...tradeStamp(chain, intent, settled),
      vault: vault.address,
      assetSymbol: asset.symbol,
      totalAssets: amountText(now.totalAssets, asset),
      idle: amountText(idleOf(now), asset),
      strategies: preview.strategies.map((one) => strategyOf(one, now, asset)),
      notes: [...settled.warnings],
    }
  })
})

/** What a vault loses on the way, to fees of its strategies, its depositors lose. */
function requireKept(before: bigint | null, after: bigint | null, asset: Token): void {
  if (before === null || after === null || after * 10_000n >= before * BigInt(10_000 - mostRebalanceLossBps)) return
  const [held, left] = [before, after].map((units) => tokenAmount(units, asset))
  const message = `The vault would hold ${left} where it holds ${held}: its strategies keep a part of what moves.`
  throw new ToolError('VALUE_LOSS_EXCEEDED', message, {
    details: [{ field: 'vault', message, before: `${held}`, after: `${left}` }],
    suggestion: 'Have the manager choose strategies without such fees, or leave the vault as it is.',
  })
}

function idleOf({ totalAssets, strategies }: VaultState): bigint | null {
  if (totalAssets === null || strategies === null) return null
  const lent = strategies.reduce((sum, { assets }) => sum + assets, 0n)
  return totalAssets > lent ? totalAssets - lent : 0n
}

function strategyOf({ vault, targetBps, assets }: VaultRebalance['strategies'][number], now: VaultState, asset: Token) {
  const after = now.strategies?.find((one) => one.vault === vault)?.assets ?? null
  return { vault, targetBps, before: tokenAmount(assets, asset), after: amountText(after, asset) }
}
