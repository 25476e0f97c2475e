import { BaseError, decodeErrorResult, isHex, parseAbi, size, type Hex } from 'viem'

/**
 * What a contract said when it reverted, for people: its sentence, or else the bytes of its error. The sentence is a
 * stranger's: at most 200 characters of it, and what cannot be seen is written as its code point.
 */
export function revertReason(data: Hex): string | null {
  if (data === '0x') return null
  try {
    const { errorName, args } = decodeErrorResult({ abi: knownErrors, data })
    return errorName === 'Error' ? shown(args[0]) : `${errorName}(${args.join(', ')})`
  } catch {
    return size(data) > 36 ? `${data.slice(0, 74)}...` : data
  }
}

/** A sentence of others with nothing in it that changes how the text around it looks. */
export function shown(sentence: string): string {
  const start = sentence.slice(0, mostCharacters)
  return start
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
    .slice(0, mostCharacters)
}

const mostCharacters = 200

/** Solidity's own two, and those of tokens by EIP-6093. */
const knownErrors = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721InvalidReceiver(address receiver)',
])

/** The bytes of a revert in an error and its causes. */
export function revertDataIn(error: unknown): Hex | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((cause) => hasData(cause))
  return hasData(found) ? found.data : null
}

function hasData(value: unknown): value is { readonly data: Hex } {
  return typeof value === 'object' && value !== null && 'data' in value && isHex(value.data)
}
