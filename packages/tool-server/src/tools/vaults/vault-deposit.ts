import { type DepositSimulation, type Token, tokenLabel, type VaultMove, type VaultState } from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { amountOf, chainInput, positiveAmountInput, wholeNumber } from '../params.ts'
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
