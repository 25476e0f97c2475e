import {
  concatHex,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseSignature,
  stringToHex,
} from 'viem'
import type { PositionPermit } from '../../intent.ts'
import { universalRouterAbi } from '../v4/plan-swap.ts'

/** Puts a permit, still unsigned, before the commands that a call of the universal router holds already. */
export function withPermit(data: Hex, { spender, tokenId, deadline }: PositionPermit): Hex {
  const [commands, inputs, callDeadline] = decodeFunctionData({ abi: universalRouterAbi, data }).args
  const args = [spender, tokenId, BigInt(deadline), unsigned.v, unsigned.r, unsigned.s] as const
  const permit = encodeFunctionData({ abi: positionPermitAbi, functionName: 'permit', args })
  return encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [concatHex([permitCommand, commands]), [permit, ...inputs], callDeadline],
  })
}

/** Whether calldata keeps a place for a signature. */
export function isUnsigned(data: Hex): boolean {
  return data.includes(words(unsigned).slice(2))
}

/** Calldata with the signature in the place that was kept for it. Throws `TypeError` where there is not exactly one. */
export function withSignature(data: Hex, signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const [before, after, ...others] = data.split(words(unsigned).slice(2))
  if (before === undefined || after === undefined || others.length > 0) throw new TypeError('no place for a signature')
  return `0x${before.slice(2)}${words({ v: 27 + yParity, r, s }).slice(2)}${after}`
}

/** Stands where the signature will be, and can be taken for none. */
export const unsigned: VRS = {
  v: 27,
  r: keccak256(stringToHex('position permit, not signed: r')),
  s: keccak256(stringToHex('position permit, not signed: s')),
}

/** ERC721Permit of v3-periphery, which the universal router takes as a command. */
export const positionPermitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
])

type VRS = { readonly v: number; readonly r: Hex; readonly s: Hex }

/**
 * V3_POSITION_MANAGER_PERMIT of `Commands`, which may fail: who hands in the signature first, read off the transaction that is out, has
 * given the same right. Where it is not given, the next command fails.
 */
const permitCommand = '0x91'

function words({ v, r, s }: VRS): Hex {
  return concatHex([numberToHex(v, { size: 32 }), r, s])
}
