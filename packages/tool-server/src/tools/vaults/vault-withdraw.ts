import type { Token, VaultExit, VaultMove, VaultState } from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { amountOf, chainInput, exitSlippageInput, positiveAmountInput } from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, tradeResult, tradeStamp } from '../results.ts'
import {
  amountResult,
  amountText,
  assetOf,
  refusedBy,
  requireAtOnce,
  shareOf,
  shortOf,
  vaultInput,
} from '../vault-facts.ts'

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
