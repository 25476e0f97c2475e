import { hexToString, type Address, type PublicClient } from 'viem'
import type { Token } from '../ports.ts'
import { erc20Abi } from '../abis/tokens.ts'
import { type ContractRead, contractRead } from '../rpc/contract-function.ts'
import { readOne } from '../rpc/read-one.ts'
import { mostDecimals, type TokenFacts } from './token-facts.ts'

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
