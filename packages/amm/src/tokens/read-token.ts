import { hexToString, type Address, type PublicClient, getAddress } from 'viem'
import type { Token, TokenDirectory } from '../ports.ts'
import { erc20Abi } from '../abis/tokens.ts'
import { type ContractRead, contractRead } from '../rpc/contract-function.ts'
import { readOne } from '../rpc/query.ts'
import { isRecord } from '@svc/runtime'
import { ToolError } from '../tool-error.ts'

/**
 * What the contract of a token that no list knows says of itself. Each member is read by a call of its own, so that a hostile contract
 * spoils nothing but itself. Symbol and name may be missing or `bytes32`, and are cut where nothing more of them would be shown;
 * decimals may be neither missing nor above 77.
 *
 * @returns `null` when no such contract stands at the address.
 * @throws ToolError `RPC_*`
 */
export async function readToken(client: PublicClient, address: Address): Promise<TokenFacts | null> {
  const [decimals, symbol, name] = await Promise.all([
    readOne(client, contractRead(address, erc20Abi, 'decimals', [])),
    readOne(client, textRead(contractRead(address, erc20Abi, 'symbol', []))),
    readOne(client, textRead(contractRead(address, erc20Abi, 'name', []))),
  ])
  if (decimals === null || decimals > mostDecimals) return null
  return { decimals, symbol: symbol?.slice(0, mostRead) ?? null, name: name?.slice(0, mostRead) ?? null }
}

/** That token as others see it. */
export function unlistedToken(address: Address, { decimals, symbol, name }: TokenFacts): Token {
  return {
    address,
    symbol: printableText(symbol ?? 'UNKNOWN'),
    name: printableText(name ?? ''),
    decimals,
    isNative: false,
    listed: false,
    usdPegged: false,
  }
}

/** Characters of its text that are shown; that there are more is seen by two. */
const mostShown = 64
const mostRead = mostShown + 2

/** Early tokens answer with `bytes32`, padded with zeros, where the standard says `string`. */
export function textRead(read: ContractRead<string>): ContractRead<string> {
  return { ...read, decode: (data) => (data.length === 66 ? hexToString(data, { size: 32 }) : read.decode(data)) }
}

/**
 * Text that came from a chain, made safe to show. Characters that print nothing, hide others or turn the direction of
 * reading (controls, bidi and zero-width marks, tags, variation selectors, fillers, unpaired surrogates, blanks other than
 * the space) become visible as `\u{202e}`; so do letters of other alphabets that look like plain ones, where they stand
 * among plain ones. The whole is cut at `limit` characters, with `…` as the last.
 */
export function printableText(raw: string, limit = mostShown): string {
  const head = raw.slice(0, limit + 2)
  const hasPlainLetters = /[A-Za-z]/.test(head)
  let text = ''
  for (const character of head) {
    const escaped = hidden.test(character) || (hasPlainLetters && looksLikePlain(character))
    const shown = escaped ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : character
    if (text.length + shown.length > limit) return `${cut(text, limit - 1)}…`
    text += shown
  }
  return text
}

/** Every character that may leave no mark of its own; U+2800 is a blank that Unicode counts among symbols. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u

/** Alphabets with letters drawn like Latin ones (UTS 39); full-width and mathematical letters fold to Latin ones. */
const twinAlphabets = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}]/u

function looksLikePlain(character: string): boolean {
  return twinAlphabets.test(character) || (character > '\u007f' && /^[\x20-\x7e]+$/.test(character.normalize('NFKC')))
}

/** The first `length` code units without half a pair at the end. */
function cut(text: string, length: number): string {
  const head = text.slice(0, length)
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head
}

/** What a contract says of itself as a token; its text as it stands there, which is nothing to show yet. */
export type TokenFacts = { readonly decimals: number; readonly symbol: string | null; readonly name: string | null }

/**
 * Where such facts are kept beyond the process and shared by several: the store of servers that only read. It may lose entries, and
 * what it gives is held against `readFacts`.
 */
export type TokenStore = {
  read(of: TokenOf): Promise<string | null>
  /** What is there already is replaced. */
  keep(of: TokenOf, content: string): Promise<void>
}

/** `address` in lower case. */
export type TokenOf = { readonly chainId: number; readonly address: string }

/** With more decimals, one whole token does not fit into 256 bits. */
export const mostDecimals = 77

export function contentOf({ decimals, symbol, name }: TokenFacts): string {
  return JSON.stringify({ decimals, symbol, name })
}

/** `null` for a content that says no such facts. */
export function readFacts(content: string | null): TokenFacts | null {
  const { decimals, symbol, name } = parsed(content)
  const areDecimals = typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0
  if (!areDecimals || decimals > mostDecimals || !isText(symbol) || !isText(name)) return null
  return { decimals, symbol, name }
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function parsed(content: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content ?? 'null')
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/**
 * A directory in which a contract that says no decimals is still a token, bare: in smallest units, its address for a symbol. For
 * what a wallet holds already, so that neither a stranger's gift nor a token whose author breaks it hides a position or keeps
 * its owner from leaving.
 */
export function withBareTokens<MarketPorts extends { readonly tokens: Pick<TokenDirectory, 'byAddress'> }>(
  ports: MarketPorts,
): MarketPorts {
  const byAddress: TokenDirectory['byAddress'] = async (chain, address) => {
    try {
      return await ports.tokens.byAddress(chain, address)
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'TOKEN_NOT_FOUND') throw error
      return bareToken(getAddress(address))
    }
  }
  return { ...ports, tokens: { ...ports.tokens, byAddress } }
}

/** Its decimals are not known, so it must never be given a price. */
export function isBare({ symbol, address }: Token): boolean {
  return symbol === address
}

function bareToken(address: Token['address']): Token {
  return { address, symbol: address, name: '', decimals: 0, isNative: false, listed: false, usdPegged: false }
}
