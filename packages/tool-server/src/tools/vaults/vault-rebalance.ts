import { mostRebalanceLossBps, type Token, ToolError, type VaultRebalance, type VaultState } from '@svc/amm'
import * as z from 'zod'
import { writeTool } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { notesResult, tokenAmount, tradeResult, tradeStamp } from '../results.ts'
import { amountResult, amountText, assetOf, vaultInput } from '../vault-facts.ts'

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
