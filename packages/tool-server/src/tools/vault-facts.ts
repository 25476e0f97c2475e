import { type Token, ToolError, type Vault, type VaultLimit } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import type { ReadContext } from '../tool.ts'
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
