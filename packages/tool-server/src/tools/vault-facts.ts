import { type Token, tokenLabel, ToolError, type Vault, type VaultLimit } from '@svc/amm'
import { revertReason } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import * as z from 'zod'
import type { ReadContext } from '../tool-context.ts'
import { addressInput } from './params.ts'
import { tokenAmount } from './results.ts'

export const vaultInput = addressInput.describe('ERC-4626')

/** In whole tokens; null where the vault does not say, or says what cannot be. */
export const amountResult = z.string().nullable()

/** The token that a vault takes. Throws `VAULT_NOT_SUPPORTED`. */
export async function assetOf({ tokens }: Pick<ReadContext, 'tokens'>, chain: Chain, vault: Vault): Promise<Token> {
  const asset = await tokens.byAddress(chain, vault.asset).catch((error: unknown) => {
    if (error instanceof ToolError && error.code === 'TOKEN_NOT_FOUND') return null
    throw error
  })
  if (asset !== null && asset.decimals <= mostDecimals) return asset
  const message = `This vault cannot be worked with. Its asset ${asset === null ? 'is no token' : `tells ${asset.decimals} decimals`}.`
  throw new ToolError('VAULT_NOT_SUPPORTED', message, { details: [{ field: 'vault', message: 'its asset' }] })
}

/** With more, figures no longer fit into 256 bits. */
const mostDecimals = 36

/** In whole tokens. */
export function limitText(limit: VaultLimit, token: Token): string | null {
  return typeof limit === 'bigint' ? tokenAmount(limit, token) : limit
}

export function amountText(amount: bigint | null, token: Token): string | null {
  return amount === null ? null : tokenAmount(amount, token)
}

/** The shares of a vault as the token they are. */
export function shareOf({ share, name }: Vault): Token {
  return { ...share, name, isNative: false, listed: false, usdPegged: false }
}

/** How much less the second is than the first, in basis points to two digits; negative where it is more. */
export function lossBps(before: bigint | null, after: bigint | null): number | null {
  if (before === null || after === null || before === 0n) return null
  return Number(((before - after) * 1_000_000n) / before) / 100
}

export function fewerSharesNotes(previewed: bigint | null, came: bigint | null): readonly string[] {
  const fewerBps = lossBps(previewed, came)
  if (fewerBps === null || fewerBps === 0) return []
  return [
    fewerBps > 0
      ? `The preview is not kept: ${fewerBps} bps fewer shares come than it says, by a fee that it leaves out or because it is false.`
      : `The preview is not what comes: ${-fewerBps} bps more shares come than it says.`,
  ]
}

/** Throws `VAULT_NOT_SUPPORTED` where one has to come again for what was asked for (ERC-7540). */
export function requireAtOnce({ isAsync }: Vault, side: 'deposit' | 'redeem'): void {
  if (!isAsync[side]) return
  const what = side === 'deposit' ? 'Deposits' : 'Redemptions'
  const accepted = `an ERC-4626 vault that ${side === 'deposit' ? 'takes deposits' : 'pays out'} at once`
  throw new ToolError(
    'VAULT_NOT_SUPPORTED',
    `${what} of this vault are requests that are fulfilled later (ERC-7540), and no tool here makes them.`,
    { details: [{ field: 'vault', message: 'asynchronous', accepted }] },
  )
}

/** Why a vault does not take a deposit, or does not pay out, with the most that it says it would. */
export function refusedBy(what: 'deposit' | 'withdrawal', data: Hex, most: VaultLimit, asset: Token): ToolError {
  const isDeposit = what === 'deposit'
  const message = `The vault does not ${isDeposit ? 'take this deposit' : 'pay this out'}: it ${revertReason(data)}.`
  const accepted =
    typeof most === 'bigint' ? `at most ${tokenAmount(most, asset)} ${tokenLabel(asset)}, as the vault says` : undefined
  return new ToolError(isDeposit ? 'VAULT_DEPOSIT_REFUSED' : 'VAULT_WITHDRAWAL_REFUSED', message, {
    details: [{ field: 'amount', message, ...(accepted === undefined ? {} : { accepted }) }],
  })
}

/** What the wallet lacks. */
export function shortOf(held: bigint, needed: bigint, token: Token, what: string): ToolError {
  const [holds, needs] = [tokenAmount(held, token), tokenAmount(needed, token)]
  return new ToolError(
    'INSUFFICIENT_BALANCE',
    `The wallet holds ${holds} ${tokenLabel(token)} where ${what} needs ${needs}.`,
    {
      details: [{ field: 'amount', message: 'in whole tokens', token: token.address, holds, needs }],
    },
  )
}
