import { formatAmount } from '@svc/lp-math'
import { type Token, tokenLabel, type Vault, type VaultGrowth, type VaultState } from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { readTool } from '../../tool.ts'
import { addressInput, chainInput, wholeNumber } from '../params.ts'
import { blockResult, blockStamp, notesResult, priceNotes, suspectNotes, tokenAmount, usdResult } from '../results.ts'
import { amountResult, amountText, assetOf, limitText, shareOf, vaultInput } from '../vault-facts.ts'

export const getVaultInfo = readTool({
  name: 'get_vault_info',
  title: 'Vault facts',
  description:
    'What a vault says of itself: price of a share and its growth, totals, limits, shares of a wallet. Names are data, not advice.',
  scope: 'read:market',
  input: z.strictObject({
    vault: vaultInput,
    chain: chainInput,
    wallet: addressInput.optional().describe('Default: the agent wallet'),
    days: wholeNumber(1, 365, 'whole days from 1 to 365').default(7),
  }),
  output: z.object({
    ...blockResult,
    kind: z.string(),
    name: z.string(),
    asset: z.string(),
    assetSymbol: z.string(),
    shareSymbol: z.string(),
    shareDecimals: z.int(),
    totalAssets: amountResult,
    totalAssetsUsd: usdResult,
    totalSupply: amountResult,
    sharePrice: amountResult.describe('In the asset'),
    pastSharePrice: amountResult,
    pastAt: z.string().nullable(),
    apyPct: z.number().nullable().describe('Since pastAt'),
    paused: z.boolean().nullable(),
    manager: z.string().nullable(),
    cap: amountResult,
    strategies: z.array(z.object({ vault: z.string(), targetBps: z.int(), assets: z.string() })).nullable(),
    wallet: amountResult,
    shares: amountResult,
    worth: amountResult,
    balance: amountResult,
    maxDeposit: amountResult,
    maxWithdraw: amountResult,
    maxRedeem: amountResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const vault = await context.vaults.find(chain, input.vault)
  const account = input.wallet ?? context.agentAddress
  const [asset, state] = await Promise.all([
    assetOf(context, chain, vault),
    context.vaults.state(chain, vault, { account }),
  ])
  const [price, growth, suspects] = await Promise.all([
    context.prices.usd(chain, asset, state.head),
    context.vaults.growth(chain, vault, state, input.days),
    suspectNotes(context, chain, [asset]),
  ])
  const share = shareOf(vault)
  const { totalAssets, strategies } = state
  return {
    ...blockStamp(chain, context, state.head.number),
    kind: vault.kind,
    name: vault.name,
    asset: asset.address,
    assetSymbol: asset.symbol,
    shareSymbol: share.symbol,
    shareDecimals: share.decimals,
    totalAssets: amountText(totalAssets, asset),
    totalAssetsUsd: totalAssets === null ? null : valueUsd(totalAssets, asset, price),
    totalSupply: amountText(state.totalSupply, share),
    sharePrice: amountText(state.sharePrice, asset),
    pastSharePrice: growth === null ? null : tokenAmount(growth.sharePrice, asset),
    pastAt: growth === null ? null : new Date(growth.at * 1_000).toISOString(),
    apyPct: growth?.apyPct ?? null,
    paused: state.isPaused,
    manager: state.manager,
    cap: limitText(state.cap, asset),
    strategies:
      strategies?.map((one) => ({
        vault: one.vault,
        targetBps: one.targetBps,
        assets: tokenAmount(one.assets, asset),
      })) ?? null,
    ...walletOf(state, asset, share),
    notes: [
      ...suspects,
      ...notesOf(vault, state, asset),
      ...growthNotes(growth, input.days),
      ...priceNotes([asset, price]),
    ],
  }
})

/** All of it null where nobody is asked about. */
function walletOf({ account, pricePerMillion }: VaultState, asset: Token, share: Token) {
  const shares = account?.shares ?? null
  const worth =
    shares === null || pricePerMillion === null ? null : (shares * pricePerMillion) / 10n ** BigInt(share.decimals + 6)
  return {
    wallet: account?.address ?? null,
    shares: amountText(shares, share),
    worth: amountText(worth, asset),
    balance: amountText(account?.balance ?? null, asset),
    maxDeposit: limitText(account?.maxDeposit ?? null, asset),
    maxWithdraw: limitText(account?.maxWithdraw ?? null, asset),
    maxRedeem: limitText(account?.maxRedeem ?? null, share),
  }
}

function notesOf(vault: Vault, state: VaultState, asset: Token): readonly string[] {
  const { totalAssets, totalSupply, sharePrice, redeemsFor, isPaused, account } = state
  const missing = Object.entries({ totalAssets, totalSupply, sharePrice }).flatMap(([name, figure]) =>
    figure === null ? [name] : [],
  )
  return [
    ...(vault.kind === 'erc7540'
      ? [
          `${vault.isAsync.deposit ? 'Deposits' : 'Redemptions'} of this vault are requests that are fulfilled later (ERC-7540): no tool of this server makes them.`,
        ]
      : []),
    ...(vault.share.address === vault.address
      ? []
      : [`Its shares are counted by another contract, ${vault.share.address} (ERC-7575).`]),
    ...(isPaused === true ? ['The vault says that it is paused.'] : []),
    ...(account?.maxDeposit === 0n ? [`It takes no deposit for ${account.address} now: maxDeposit is 0.`] : []),
    ...(missing.length > 0 ? [`The vault does not tell ${missing.join(', ')}, or tells what cannot be.`] : []),
    ...(totalSupply === 0n ? ['Nobody holds a share of it.'] : []),
    ...(sharePrice !== null && sharePrice > 0n && redeemsFor !== null && redeemsFor < sharePrice
      ? [
          `Redeeming a whole share pays ${formatAmount(redeemsFor, asset.decimals)} ${tokenLabel(asset)}, less than its price: the vault keeps a part.`,
        ]
      : []),
  ]
}

function growthNotes(growth: VaultGrowth | null, days: number): readonly string[] {
  if (growth === null) {
    return [
      `The price of a share ${days} days ago is not known: the endpoint does not keep state that old, or the vault did not stand yet. Fewer days may answer.`,
    ]
  }
  return growth.apyPct === null ? ['The price of a share moved too far for a yearly rate.'] : []
}
