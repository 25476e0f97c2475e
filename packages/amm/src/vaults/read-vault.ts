import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, type Hex, isAddressEqual, parseAbi, zeroAddress } from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { vaultAbi } from '../abis/vault.ts'
import type { RpcPool, TokenDirectory, Vault, VaultAccount, VaultLimit, VaultState, VaultStrategy } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readAtHead, joinQueries, knownQuery, mapQuery, query, type Query } from '../rpc/query.ts'
import { printableText, textRead } from '../tokens/read-token.ts'
import { ToolError } from '../tool-error.ts'

export type VaultPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'past'>
  readonly tokens: Pick<TokenDirectory, 'byAddress'>
}

/**
 * What stands at an address, if it is a vault.
 *
 * @throws ToolError `VAULT_NOT_FOUND`, `VAULT_NOT_SUPPORTED`, `RPC_*`
 */
export async function readVault({ rpc, tokens }: VaultPorts, chain: Chain, address: Address): Promise<Vault> {
  const { head, result } = await readAtHead(rpc, chain, identityQuery(address))
  const { asset, decimals, symbol, name, totalAssets, share, isAsync } = result
  if (asset === null || asset === zeroAddress || totalAssets === null) {
    const code = await rpc.client(chain).getCode({ address, blockNumber: head.number })
    throw notFound(code === undefined || code === '0x' ? 'nothing' : decimals === null ? 'contract' : 'token')
  }
  const isApart = share !== null && share !== zeroAddress && !isAddressEqual(share, address)
  const shares = isApart ? await shareToken(tokens, chain, share) : { address, symbol, decimals }
  if (shares.decimals === null || shares.decimals > mostDecimals) {
    throw notSupported(
      `Its shares tell ${shares.decimals === null ? 'no decimals' : `${shares.decimals} decimals`}, and no amount can be said in them.`,
    )
  }
  return {
    address,
    kind: isAsync.deposit || isAsync.redeem ? 'erc7540' : 'erc4626',
    name,
    asset: getAddress(asset),
    share: { address: shares.address, symbol: shares.symbol, decimals: shares.decimals },
    isAsync,
  }
}

/**
 * What a vault says at the newest block, of itself, of an account and of a deposit.
 *
 * @throws ToolError `VAULT_NOT_SUPPORTED`, `RPC_*`
 */
export async function readVaultState(
  { rpc }: VaultPorts,
  chain: Chain,
  vault: Vault,
  { account, deposit }: { readonly account: Address | null; readonly deposit?: bigint },
): Promise<VaultState> {
  const asked = joinQueries([
    figuresQuery(vault),
    runQuery(vault.address),
    account === null ? knownQuery(null) : accountQuery(vault, account),
    deposit === undefined ? knownQuery(null) : previewQuery(vault, deposit),
  ] as const)
  const { head, result } = await readAtHead(rpc, chain, asked)
  const [figures, run, held, previewedShares] = result
  if (figures === null) {
    throw notSupported('It names another asset, or other decimals, than a moment ago.', {
      retryable: true,
      suggestion: 'Call again: it is looked at anew. One that goes on changing is none to deal with.',
    })
  }
  return { head, ...figures, ...run, account: held, previewedShares }
}

/** A million whole shares in the asset, as a query for any block. */
export function pricePerMillionQuery({ address, share }: Vault): Query<bigint | null> {
  return query(
    [contractRead(address, vaultAbi, 'convertToAssets', [10n ** BigInt(share.decimals + 6)])],
    // A million times what any other amount is.
    ([assets]) => (assets !== null && assets <= mostUnits * 1_000_000n ? assets : null),
  )
}

export function notSupported(
  message: string,
  next: { readonly retryable?: boolean; readonly suggestion?: string } = {},
): ToolError {
  return new ToolError('VAULT_NOT_SUPPORTED', `This vault cannot be worked with. ${message}`, {
    details: [{ field: 'vault', message }],
    ...next,
  })
}

/** What some vaults tell beside it: who runs them, and where the shares of an ERC-7575 vault are. */
const vaultExtrasAbi = parseAbi([
  'struct Strategy { address vault; uint256 targetBps; uint256 assets; }',
  'function share() view returns (address share)',
  'function paused() view returns (bool isPaused)',
  'function manager() view returns (address manager)',
  'function owner() view returns (address owner)',
  'function cap() view returns (uint256 assets)',
  'function strategies() view returns (Strategy[] strategies)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool isSupported)',
])

/** With more, figures no longer fit into 256 bits. */
const mostDecimals = 36

/** More than any token counts, and few enough that a product of two fits into 256 bits. */
const mostUnits = 2n ** 128n - 1n

function identityQuery(address: Address) {
  const reads = [
    contractRead(address, vaultAbi, 'asset', []),
    contractRead(address, erc20Abi, 'decimals', []),
    textRead(contractRead(address, erc20Abi, 'symbol', [])),
    textRead(contractRead(address, erc20Abi, 'name', [])),
    contractRead(address, vaultAbi, 'totalAssets', []),
    contractRead(address, vaultExtrasAbi, 'share', []),
    ...interfaces.map((id) => contractRead(address, vaultExtrasAbi, 'supportsInterface', [id])),
  ] as const
  return query(reads, ([asset, decimals, symbol, name, totalAssets, share, ...supported]) => {
    // One that says yes to everything says nothing (EIP-165).
    const [saysAnything, deposit, redeem] = supported as readonly (boolean | null)[]
    const isYes = (answer: boolean | null | undefined) => answer === true && saysAnything !== true
    return {
      asset,
      decimals,
      symbol: printableText(symbol ?? '') || 'UNKNOWN',
      name: printableText(name ?? ''),
      totalAssets,
      share,
      isAsync: { deposit: isYes(deposit), redeem: isYes(redeem) },
    }
  })
}

/** None, and the selectors of the three functions of ERC-7540 for deposits, and for redemptions, by exclusive or. */
const interfaces: readonly Hex[] = ['0xffffffff', '0xce3bbe50', '0x620ee8e4']

/** `null` where it is another vault by now. */
function figuresQuery(vault: Vault) {
  const { address, share } = vault
  const oneShare = 10n ** BigInt(share.decimals)
  const own = query(
    [
      contractRead(address, vaultAbi, 'asset', []),
      contractRead(share.address, erc20Abi, 'decimals', []),
      contractRead(address, vaultAbi, 'totalAssets', []),
      contractRead(share.address, vaultAbi, 'totalSupply', []),
      contractRead(address, vaultAbi, 'convertToAssets', [oneShare]),
      contractRead(address, vaultAbi, 'previewRedeem', [oneShare]),
    ],
    ([asset, decimals, totalAssets, totalSupply, sharePrice, redeemsFor]) =>
      asset !== null && isAddressEqual(asset, vault.asset) && decimals === share.decimals
        ? {
            totalAssets: plausible(totalAssets),
            totalSupply: plausible(totalSupply),
            sharePrice: plausible(sharePrice),
            redeemsFor: plausible(redeemsFor),
          }
        : null,
  )
  return mapQuery(
    joinQueries([own, pricePerMillionQuery(vault)] as const),
    ([figures, pricePerMillion]) => figures && { ...figures, pricePerMillion },
  )
}

/** Who runs it, and how. */
function runQuery(address: Address) {
  return query(
    [
      contractRead(address, vaultExtrasAbi, 'paused', []),
      contractRead(address, vaultExtrasAbi, 'manager', []),
      contractRead(address, vaultExtrasAbi, 'owner', []),
      contractRead(address, vaultExtrasAbi, 'cap', []),
      contractRead(address, vaultExtrasAbi, 'strategies', []),
    ],
    ([isPaused, manager, owner, cap, strategies]) => ({
      isPaused,
      manager: manager ?? owner,
      cap: limit(cap),
      strategies: strategies === null ? null : strategies.flatMap(strategyOf).slice(0, mostStrategies),
    }),
  )
}

const mostStrategies = 20

function strategyOf(strategy: {
  readonly vault: Address
  readonly targetBps: bigint
  readonly assets: bigint
}): readonly VaultStrategy[] {
  const [targetBps, assets] = [Number(strategy.targetBps), plausible(strategy.assets)]
  return targetBps <= 10_000 && assets !== null ? [{ vault: strategy.vault, targetBps, assets }] : []
}

function accountQuery({ address, asset, share }: Vault, account: Address): Query<VaultAccount> {
  return query(
    [
      contractRead(share.address, vaultAbi, 'balanceOf', [account]),
      contractRead(address, vaultAbi, 'maxDeposit', [account]),
      contractRead(address, vaultAbi, 'maxWithdraw', [account]),
      contractRead(address, vaultAbi, 'maxRedeem', [account]),
      contractRead(asset, erc20Abi, 'balanceOf', [account]),
      contractRead(asset, erc20Abi, 'allowance', [account, address]),
    ],
    ([shares, maxDeposit, maxWithdraw, maxRedeem, balance, allowance]) => ({
      address: account,
      shares: plausible(shares),
      maxDeposit: limit(maxDeposit),
      maxWithdraw: limit(maxWithdraw),
      maxRedeem: limit(maxRedeem),
      balance: plausible(balance),
      allowance: allowance === null ? null : allowance > mostUnits ? mostUnits : allowance,
    }),
  )
}

function previewQuery({ address }: Vault, deposit: bigint): Query<bigint | null> {
  return query([contractRead(address, vaultAbi, 'previewDeposit', [deposit])], ([shares]) => plausible(shares))
}

function plausible(units: bigint | null): bigint | null {
  return units !== null && units <= mostUnits ? units : null
}

function limit(units: bigint | null): VaultLimit {
  return units !== null && units > mostUnits ? 'unlimited' : units
}

async function shareToken(tokens: VaultPorts['tokens'], chain: Chain, address: Address) {
  try {
    return await tokens.byAddress(chain, getAddress(address))
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'TOKEN_NOT_FOUND') throw error
    throw notSupported('Its shares are said to be at an address where no token stands.')
  }
}

function notFound(what: 'nothing' | 'contract' | 'token'): ToolError {
  const message = {
    nothing: 'No contract stands at this address on this chain.',
    contract: 'The contract at this address is no ERC-4626 vault: asset or totalAssets is not answered.',
    token: 'A token stands at this address, and no ERC-4626 vault: asset or totalAssets is not answered.',
  }[what]
  return new ToolError('VAULT_NOT_FOUND', message, {
    details: [{ field: 'vault', message, accepted: 'the address of an ERC-4626 vault on this chain' }],
  })
}
