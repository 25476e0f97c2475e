import { chains, findChain } from '@svc/wallet/core'
import { encodeAbiParameters, encodeFunctionResult, parseAbi, parseAbiParameters, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { turnsTaken } from '../../../runtime/src/turns-taken.fixture.ts'
import { clientAnswered } from './answering-endpoint.fixture.ts'
import { contractRead } from './contract-function.ts'
import { readAll } from './read-all.ts'

const base = findChain(chains, 'base')!
const abi = parseAbi(['function name() view returns (string)'])
const names = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const

/** What two names are read as at an endpoint that answers `eth_call` so. */
function readOf(result: unknown) {
  const reads = names.map((address) => contractRead(address, abi, 'name', []))
  return readAll(clientAnswered('eth_call', result), base, reads, 7n)
}

function answered(...reported: readonly string[]): Hex {
  const parameters = parseAbiParameters('(bool success, bytes returnData)[]')
  const outcomes = reported.map((name) => ({
    success: true,
    returnData: encodeFunctionResult({ abi, functionName: 'name', result: name }),
  }))
  return encodeAbiParameters(parameters, [outcomes])
}

test.each<[unknown]>([
  [`0x${'f'.repeat(64)}`],
  ['0x20'],
  [answered('One', 'Two').slice(0, 300)],
  [answered('One')],
  [answered('One', 'Two', 'Three')],
  [{}],
  [null],
  [5],
])('answer %# is none of Multicall3, and says which endpoint to change', async (reported) => {
  await expect(readOf(reported)).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
    details: [{ field: 'chain', message: expect.any(String), accepted: expect.stringContaining('endpoint') }],
  })
})

test('a name without end is no name, and spoils no other', async () => {
  expect(await readOf(answered('One', 'Two'))).toEqual(['One', 'Two'])
  expect(await readOf(answered('One', 'x'.repeat(40_000)))).toEqual(['One', null])
})

test('many answers are not decoded in one turn of the event loop', async () => {
  const reported = Array.from({ length: 100 }, (_, index) => `${index}`)
  const reads = reported.map(() => contractRead(names[0], abi, 'name', []))
  const client = clientAnswered('eth_call', answered(...reported))
  const { turns, result } = await turnsTaken(() => readAll(client, base, reads, 7n))
  expect(result).toEqual(reported)
  expect(turns).toBeGreaterThanOrEqual(4)
})
