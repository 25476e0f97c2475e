import { formatAmount } from '@svc/lp-math'
import { type Token, tokenLabel, type Vault, type VaultGrowth, type VaultState, type DepositSimulation } from '@svc/amm'
import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { readTool } from '../../tool.ts'
import { addressInput, chainInput, wholeNumber, amountOf, positiveAmountInput, requireAddress } from '../params.ts'
import { blockResult, blockStamp, notesResult, priceNotes, suspectNotes, tokenAmount, usdResult } from '../results.ts'
import {
  amountResult,
  amountText,
  assetOf,
  limitText,
  shareOf,
  vaultInput,
  fewerSharesNotes,
  lossBps,
  requireAtOnce,
} from '../vault-facts.ts'
import { revertReason } from '@svc/engine'

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
      ...vaultNotes(vault, state, asset),
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

function vaultNotes(vault: Vault, state: VaultState, asset: Token): readonly string[] {
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

export const vaultSimulateDeposit = readTool({
  name: 'vault_simulate_deposit',
  title: 'Vault deposit, simulated',
  description:
    'Simulates a deposit into a vault and the way out, and measures both by balances, whatever the vault says. Sends nothing; later blocks may differ.',
  scope: 'read:market',
  input: z.strictObject({
    vault: vaultInput,
    amount: positiveAmountInput,
    chain: chainInput,
    owner: addressInput.optional().describe('Default: the agent wallet'),
  }),
  output: z.object({
    ...blockResult,
    owner: z.string(),
    assetSymbol: z.string(),
    shareSymbol: z.string(),
    success: z.boolean().nullable(),
    amountUsd: usdResult,
    balance: amountResult,
    allowance: amountResult,
    maxDeposit: amountResult,
    previewShares: amountResult,
    receivedShares: amountResult,
    redeemsFor: amountResult,
    roundTripLossBps: z.number().nullable(),
    shareOfVaultPct: z.number().nullable(),
    gasEstimate: amountResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = requireAddress(input.owner, context.agentAddress, 'owner')
  const vault = await context.vaults.find(chain, input.vault)
  requireAtOnce(vault, 'deposit')
  const asset = await assetOf(context, chain, vault)
  const amount = amountOf(input.amount, asset, 'amount')
  const state = await context.vaults.state(chain, vault, { account: owner, deposit: amount })
  const [simulation, price, suspects] = await Promise.all([
    context.vaults.simulateDeposit(chain, vault, state, { owner, asset, amount }),
    context.prices.usd(chain, asset, state.head),
    suspectNotes(context, chain, [asset]),
  ])
  const share = shareOf(vault)
  const { account } = state
  const failure = simulation?.failure ?? null
  const measured = { simulation, vault, state, asset, share, amount }
  return {
    ...blockStamp(chain, context, state.head.number),
    owner,
    assetSymbol: asset.symbol,
    shareSymbol: share.symbol,
    success: simulation === null ? null : failure === null,
    amountUsd: valueUsd(amount, asset, price),
    balance: amountText(account?.balance ?? null, asset),
    allowance: amountText(account?.allowance ?? null, asset),
    maxDeposit: limitText(account?.maxDeposit ?? null, asset),
    previewShares: amountText(state.previewedShares, share),
    receivedShares: amountText(simulation?.shares ?? null, share),
    redeemsFor: amountText(simulation?.redeemed ?? null, asset),
    roundTripLossBps: lossBps(simulation?.paid ?? null, simulation?.redeemed ?? null),
    shareOfVaultPct: partPct(measured),
    gasEstimate: simulation?.gasUsed?.toString() ?? null,
    notes: [
      ...(failure === null ? [] : [`The ${failure.step} ${revertReason(failure.data)}.`]),
      ...suspects,
      ...simulationNotes(measured),
      ...priceNotes([asset, price]),
    ],
  }
})

type Measured = {
  readonly simulation: DepositSimulation | null
  readonly vault: Vault
  readonly state: VaultState
  readonly asset: Token
  readonly share: Token
  readonly amount: bigint
}

function partPct({ simulation, state: { totalSupply } }: Measured): number | null {
  const shares = simulation?.shares ?? null
  if (shares === null || totalSupply === null || totalSupply + shares === 0n) return null
  return Number((shares * 1_000_000n) / (totalSupply + shares)) / 10_000
}

function simulationNotes(measured: Measured): readonly string[] {
  const { simulation, vault, state, asset, share, amount } = measured
  const { account, isPaused, previewedShares } = state
  const label = tokenLabel(asset)
  const limit = account?.maxDeposit ?? null
  const held = account?.balance ?? null
  return [
    ...(isPaused === true ? ['The vault says that it is paused.'] : []),
    ...(typeof limit === 'bigint' && limit < amount
      ? [`The vault takes at most ${tokenAmount(limit, asset)} ${label} from this owner now (maxDeposit).`]
      : []),
    ...(held !== null && held < amount
      ? [
          `The owner holds ${tokenAmount(held, asset)} ${label}${simulation === null ? ': no pool could stand in for the rest, so nothing was simulated.' : '; the rest was borrowed from a pool for the simulation.'}`,
        ]
      : []),
    ...(vault.isAsync.redeem ? ['Redemptions of this vault are requests that are fulfilled later (ERC-7540).'] : []),
    ...(previewedShares === null ? ['The vault tells no preview of this deposit.'] : []),
    ...(simulation === null || simulation.failure !== null ? [] : depositNotes(measured, simulation)),
    ...(share.decimals === asset.decimals
      ? []
      : [`Its shares have ${share.decimals} decimals, the asset has ${asset.decimals}.`]),
  ]
}

/** Of a deposit that went through. */
function depositNotes(measured: Measured, simulation: DepositSimulation): readonly string[] {
  const { state, amount, asset } = measured
  const { shares, paid, redeemed, redeemFailure } = simulation
  const loss = lossBps(paid, redeemed)
  const partOfVault = partPct(measured)
  return [
    ...fewerSharesNotes(state.previewedShares, shares),
    ...(shares === 0n ? ['No share comes of it: the whole amount would be a gift to those who hold shares.'] : []),
    ...(paid !== null && paid !== amount
      ? [`The deposit takes ${tokenAmount(paid, asset)} ${tokenLabel(asset)} from the owner, not the amount.`]
      : []),
    ...(redeemFailure === null ? [] : [`The shares cannot be redeemed at once: it ${revertReason(redeemFailure)}.`]),
    ...(loss !== null && loss >= noticeableBps
      ? [`Going in and out at once loses ${loss} bps: fees, rounding, or a share price that somebody raised.`]
      : []),
    ...(isExposed(state, partOfVault)
      ? [
          'Nearly nobody else is in this vault: somebody who gives it tokens just before could round a deposit down to fewer shares (inflation attack). Only a least number of shares, checked in the same transaction, prevents that.',
        ]
      : []),
  ]
}

/** Less is rounding. */
const noticeableBps = 1

function isExposed({ totalSupply }: VaultState, partOfVaultPct: number | null): boolean {
  return totalSupply !== null && (totalSupply < fewShares || (partOfVaultPct ?? 0) > 99)
}

/** Of the smallest units: one of so few is a part of a deposit that is worth stealing. */
const fewShares = 10_000n
