import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  pad,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { assetChanges, type ChangeLog } from './asset-changes.ts'

const wallet: Address = '0x00000000000000000000000000000000000000AA'
const other: Address = '0x00000000000000000000000000000000000000bb'
const token: Address = '0x0000000000000000000000000000000000001111'
const weth: Address = '0x0000000000000000000000000000000000002222'
const native: Address = '0xeEeeeeeEEEeEeEeEeEeEeEeEeEeEEeEeEeEeEEeE'
const word = (value: bigint): Hex => encodeAbiParameters(parseAbiParameters('uint256'), [value])
const topic = (address: Address): Hex => pad(address)

const events = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
])

const log = (
  address: Address,
  name: (typeof events)[number]['name'],
  indexed: readonly Address[],
  data: Hex,
): ChangeLog => {
  const signature = encodeEventTopics({ abi: events, eventName: name }).filter((part) => typeof part === 'string')
  return { address, topics: [...signature, ...indexed.map(topic)], data }
}
const transfer = (of: Address, from: Address, to: Address, value: bigint) =>
  log(of, 'Transfer', [from, to], word(value))
const nft = (of: Address, from: Address, to: Address): ChangeLog => ({
  ...transfer(of, from, to, 0n),
  topics: [...transfer(of, from, to, 0n).topics, word(7n)],
  data: '0x',
})
const changes = (...logs: ChangeLog[]) => assetChanges([logs], { wallet, wrappedNative: weth })

describe('asset changes', () => {
  it('sum what came and went, native currency under the zero address', () => {
    const { deltas } = changes(
      transfer(token, wallet, other, 10n),
      transfer(token, other, wallet, 3n),
      transfer(native, wallet, other, 5n),
      transfer(native, wallet, wallet, 9n),
      transfer(token, other, other, 100n),
    )
    expect(Object.fromEntries(deltas)).toEqual({ [token]: -7n, [zeroAddress]: -5n })
  })

  it('read wrapping from the wrapped token alone, and once where it also announces a transfer', () => {
    expect(changes(log(weth, 'Deposit', [wallet], word(4n))).deltas.get(weth)).toBe(4n)
    expect(changes(log(weth, 'Withdrawal', [wallet], word(4n))).deltas.get(weth)).toBe(-4n)
    expect(changes(log(token, 'Deposit', [wallet], word(4n))).deltas.size).toBe(0)
    expect(changes(log(weth, 'Deposit', [other], word(4n))).deltas.size).toBe(0)
    const both = [log(weth, 'Deposit', [wallet], word(4n)), transfer(weth, zeroAddress, wallet, 4n)]
    expect(changes(...both).deltas.get(weth)).toBe(4n)
    const unrelated = [log(weth, 'Deposit', [wallet], word(4n)), transfer(weth, other, wallet, 4n)]
    expect(changes(...unrelated).deltas.get(weth)).toBe(8n)
  })

  it('name NFTs that left and to whom, not those that came', () => {
    expect(changes(nft(token, wallet, other), nft(token, other, wallet)).leftNfts).toEqual([
      { token, to: other.toLowerCase() },
    ])
    expect(changes(nft(token, wallet, zeroAddress)).leftNfts).toEqual([{ token, to: zeroAddress }])
    const single = log(token, 'TransferSingle', [wallet, wallet, other], word(1n))
    expect(changes(single).leftNfts).toHaveLength(1)
  })

  it('name rights the wallet gave, and leave out those of others and those taken back', () => {
    const given = changes(
      log(token, 'Approval', [wallet, other], word(5n)),
      log(token, 'Approval', [other, wallet], word(5n)),
      log(token, 'Approval', [wallet, other], word(0n)),
      log(token, 'ApprovalForAll', [wallet, other], word(1n)),
      log(token, 'ApprovalForAll', [wallet, other], word(0n)),
    ).rights
    expect(given.map(({ amount }) => amount)).toEqual([5n, null])
    const tokenApproval = (to: Address): ChangeLog => ({
      ...log(token, 'Approval', [wallet, to], '0x'),
      topics: [...log(token, 'Approval', [wallet, to], '0x').topics, word(7n)],
    })
    expect(changes(tokenApproval(other)).rights).toEqual([
      { token, spender: other.toLowerCase(), amount: null, by: 'token', tokenId: 7n, contract: token },
    ])
    expect(changes(tokenApproval(zeroAddress)).rights).toEqual([])
  })

  it('survive logs that are cut short', () => {
    expect(
      changes({ address: token, topics: [], data: '0x' }, log(token, 'Transfer', [wallet, other], '0x01')).deltas.get(
        token,
      ),
    ).toBe(0n)
  })
})
