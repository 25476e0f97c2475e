import type { VaultExit, VaultState } from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { amountOf, chainInput, exitSlippageInput, positiveAmountInput } from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'
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
    'Takes an exact amount out of a vault that the policy names, or all that the shares of the agent wallet bring. Pays the agent wallet only.',
  scope: 'write:vault',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    vault: vaultInput,
    amount: positiveAmountInput.optional().describe('Of its asset; else all'),
    chain: chainInput,
    slippageBps: exitSlippageInput,
  }),
  output: z.object({
    ...writeResult,
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
  const planned = context.vaults.planWithdrawal(chain, vault, { owner, asset, slippageBps, exit, simulation })
  return context.execute(planned.intent, async (settled) => {
    const moved = await planned.decode(settled)
    return {
      ...writeStamp(chain, planned.intent, settled),
      vault: vault.address,
      assetSymbol: asset.symbol,
      shareSymbol: share.symbol,
      withdrawn: tokenAmount(moved.assets, asset),
      withdrawnUsd: valueUsd(moved.assets, asset, price),
      sharesBurnt: tokenAmount(moved.shares, share),
      sharesLeft: amountText(held === null ? null : held - moved.shares, share),
      notes: [...settled.warnings, ...priceNotes([asset, price])],
    }
  })
})

/** An amount, or all shares: those of the plan that is carried out. */
function exitOf(amount: bigint | null, planned: bigint | null, { account }: VaultState): VaultExit {
  return amount === null ? { shares: planned ?? account?.shares ?? 0n } : { assets: amount }
}
