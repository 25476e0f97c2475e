import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex, pad, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import {
  announcesOrder,
  crossChainOrderIdOf,
  openCalldata,
  orderDataType,
  readOpenCalldata,
} from './create-cross-chain.ts'
import { settlerAbi } from '../abis/cross-chain.ts'
import { resolvedDifferences, resolvedOrder } from './cross-chain-form.ts'

const settler = '0x5555555555555555555555555555555555555555'
const place = { chainId: 1, wallet: '0x00000000000000000000000000000000000000bb' } as const
const terms = {
  settler,
  nonce: 7n,
  fillDeadline: 1_900_000_000,
  inputToken: `0x${'1'.repeat(40)}`,
  inputAmount: 1_000n,
  destinationChainId: 10,
  destinationSettler: `0x${'6'.repeat(40)}`,
  outputToken: `0x${'2'.repeat(40)}`,
  outputAmount: 990n,
  recipient: place.wallet,
} as const

test('order data has the type that Across has published', () => {
  expect(orderDataType).toBe('0x9df4b782e7bbc178b3b93bfe8aafb909e84e39484d7f3c59f400f1b4691f85e2')
})

test('what opens an order says all of it, and is read back', () => {
  const { settler: _settler, destinationSettler: _other, ...own } = terms
  const read = readOpenCalldata(openCalldata(terms))
  expect(read).toEqual({ ...own, inputToken: own.inputToken, recipient: expect.stringMatching(/bb$/i) })
  const changed = [{ nonce: 8n }, { outputAmount: 991n }, { destinationChainId: 11 }, { fillDeadline: 1_900_000_001 }]
  const ids = changed.map((change) => crossChainOrderIdOf({ ...terms, ...change }, place))
  expect(new Set([crossChainOrderIdOf(terms, place), ...ids]).size).toBe(5)
})

const orderData = parseAbiParameters([
  'OrderData data',
  'struct OrderData { address inputToken; uint256 inputAmount; address outputToken; uint256 outputAmount; uint256 destinationChainId; bytes32 recipient; address exclusiveRelayer; uint256 depositNonce; uint32 exclusivityPeriod; bytes message; }',
])

function opened(change: object, type: Hex = orderDataType): Hex {
  const { inputToken, inputAmount, outputToken, outputAmount } = terms
  const data = {
    inputToken,
    inputAmount,
    outputToken,
    outputAmount,
    destinationChainId: 10n,
    recipient: pad(place.wallet),
  }
  const rest = {
    exclusiveRelayer: pad('0x', { size: 20 }),
    depositNonce: 7n,
    exclusivityPeriod: 0,
    message: '0x',
  } as const
  const encoded = encodeAbiParameters(orderData, [{ ...data, ...rest, ...change }])
  const order = { fillDeadline: 1_900_000_000, orderDataType: type, orderData: encoded }
  return encodeFunctionData({ abi: settlerAbi, functionName: 'open', args: [order] })
}

test.each([
  ['a message that is carried out at the other end', opened({ message: '0x1234' })],
  ['one relayer alone', opened({ exclusiveRelayer: settler, exclusivityPeriod: 60 })],
  ['no nonce of its own', opened({ depositNonce: 0n })],
  ['a recipient of more than an address', opened({ recipient: `0x${'9'.repeat(64)}` })],
  ['another type of data', opened({}, pad('0x01'))],
  ['bytes behind it', `${opened({})}00`],
] as const)('calldata with %s is no order of ours', (_what, data) => {
  expect(() => readOpenCalldata(data)).toThrow('not an order of ours')
})

test('what a settler says is the order alone where every member is', () => {
  const said = resolvedOrder(terms, place)
  expect(resolvedDifferences(terms, place, said)).toEqual([])
  const [output] = said.maxSpent
  const less = { ...said, maxSpent: [{ ...output!, amount: 1n }] }
  expect(resolvedDifferences(terms, place, less)).toEqual(['maxSpent.0.amount'])
  const more = { ...said, maxSpent: [output!, output!] }
  expect(resolvedDifferences(terms, place, more)).toContain('maxSpent')
  const elsewhere = { ...said, fillInstructions: [{ ...said.fillInstructions[0]!, destinationSettler: pad('0x01') }] }
  expect(resolvedDifferences(terms, place, elsewhere)).toEqual(['fillInstructions.0.destinationSettler'])
  expect(resolvedDifferences(terms, place, { ...said, user: settler })).toEqual(['user'])
})

test('an order is opened where its own settler announces it, once', () => {
  const { maxSpent, minReceived, ...said } = resolvedOrder(terms, place)
  const resolved = {
    ...said,
    openDeadline: 0,
    maxSpent,
    minReceived: [{ ...minReceived[0]!, recipient: pad('0x') }],
  }
  const open = settlerAbi.find((item) => item.type === 'event' && item.name === 'Open')!
  const log = (change: object = {}) => ({
    address: settler,
    topics: encodeEventTopics({ abi: settlerAbi, eventName: 'Open', args: { orderId: said.orderId } }),
    data: encodeAbiParameters([open.inputs[1]], [{ ...resolved, ...change }] as never),
  })
  const announces = (...logs: object[]) => announcesOrder(logs as never, terms, place)
  expect(announces(log())).toBe(true)
  expect(announces()).toBe(false)
  expect(announces({ ...log(), address: place.wallet })).toBe(false)
  expect(announces(log({ fillDeadline: 1 }))).toBe(false)
  expect(announces(log(), log())).toBe(false)
})
